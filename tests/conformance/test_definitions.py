from __future__ import annotations

import re
from collections.abc import Generator
from functools import reduce
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Final

import pytest

from jobplane.core.errors import Invalid, InvalidSchema, UnknownQueue
from jobplane.core.model import Backoff, Definition, Json
from jobplane.core.schema import MAX_DEPTH
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import Factory

CLOSED = {"type": "object", "additionalProperties": False}
FULL: dict[str, Json] = {
    "key": "Sync.Drop_box-2",
    "kind": "python",
    "description": "Lists a folder; ünïcode.",
    "arg_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    "queue": "sync",
    "priority": 5,
    "timeout_seconds": 60,
    "max_attempts": 7,
    "backoff": {"base": 1.5, "factor": 3, "cap": 60, "jitter": 0.25},
    "max_running": 10,
    "max_running_per_tenant": 2,
    "retention_days": 3,
    "retention_days_logs": 1,
    "active": False,
    "origin": "code",
    "tags": ["io", "ü"],
    "isolation": "process",
    "on_lost_contact": "continue",
    "retention_count": 50,
    "system": True,
    "metadata": {"team": "ü"},
    "default_payload": {"path": "/"},
}


async def test_a_definition_with_nothing_but_a_key_has_the_defaults(store: Store, clock: Clock) -> None:
    [made] = await store.put_definitions([{"key": "bare"}])

    assert made == Definition(
        definition_id=made.definition_id,
        key="bare",
        kind=None,
        description="",
        arg_schema=CLOSED,
        queue="default",
        priority=100,
        timeout_seconds=3600,
        max_attempts=3,
        backoff=Backoff(base=5, factor=2, cap=300, jitter=0.5),
        max_running=None,
        max_running_per_tenant=None,
        retention_days=None,
        retention_days_logs=None,
        active=True,
        origin="db",
        tags=[],
        isolation="shared",
        on_lost_contact="stop",
        created_at=made.created_at,
        updated_at=clock.now(),
        id=made.id,
        app="",
        app_version="",
        overridden=[],
        code=None,
        definition_hash=None,
        revision=1,
        retention_count=None,
        deleted_from_code=False,
        deleted_at=None,
        system=False,
        metadata={},
        default_payload=None,
        command=None,
    )


async def test_everything_that_is_named_reads_back(store: Store) -> None:
    await store.put_queues(["sync"])

    [made] = await store.put_definitions([FULL])

    assert {name: getattr(made, name) for name in FULL if name != "backoff"} == {
        name: value for name, value in FULL.items() if name != "backoff"
    }
    assert made.backoff == Backoff(base=1.5, factor=3, cap=60, jitter=0.25)
    assert await store.definitions(["Sync.Drop_box-2"]) == [made]


async def test_the_same_key_again_changes_what_it_names_and_keeps_the_rest(store: Store, clock: Clock) -> None:
    await store.put_queues(["sync"])
    [before] = await store.put_definitions([FULL])
    clock.advance(60)

    [after] = await store.put_definitions([{"key": FULL["key"], "priority": 6, "backoff": {"cap": 90}}])

    assert (after.definition_id, after.priority, after.updated_at) == (before.definition_id, 6, clock.now())
    assert after.backoff == Backoff(base=1.5, factor=3, cap=90, jitter=0.25)
    kept = set(FULL) - {"priority", "backoff"}
    assert {name: getattr(after, name) for name in kept} == {name: getattr(before, name) for name in kept}
    assert after.created_at == before.created_at


async def test_null_takes_away_what_may_be_missing(store: Store) -> None:
    await store.put_queues(["sync"])
    await store.put_definitions([FULL])
    nothing = (
        "kind",
        "timeout_seconds",
        "max_running",
        "max_running_per_tenant",
        "retention_days",
        "retention_days_logs",
        "retention_count",
        "default_payload",
    )

    [after] = await store.put_definitions([{"key": FULL["key"], **dict.fromkeys(nothing)}])

    assert [getattr(after, name) for name in nothing] == [None] * len(nothing)
    assert (after.priority, after.queue, after.active) == (5, "sync", False)


async def test_a_schema_may_be_true_or_false(store: Store) -> None:
    made = await store.put_definitions([{"key": "any", "arg_schema": True}, {"key": "none", "arg_schema": False}])

    assert [definition.arg_schema for definition in made] == [True, False]


BAD: list[dict[str, Json]] = [
    {"key": ""},
    {"key": None},
    {"key": "a b"},
    {"key": ".a"},
    {"key": "a" * 201},
    {"key": "a\x00"},
    {"key": "\ud800"},
    {"kind": "shell"},
    {"arg_schema": []},
    {"arg_schema": "object"},
    {"arg_schema": {"description": "x" * 65_536}},
    {"priority": -1},
    {"priority": 1001},
    {"priority": "high"},
    {"priority": 2**40},
    {"timeout_seconds": 0},
    {"timeout_seconds": 2_592_001},
    {"max_attempts": 0},
    {"max_attempts": 1001},
    {"backoff": []},
    {"backoff": {"base": -1}},
    {"backoff": {"base": 86_401}},
    {"backoff": {"base": "NaN"}},
    {"backoff": {"factor": 0.5}},
    {"backoff": {"factor": 101}},
    {"backoff": {"cap": 2_592_001}},
    {"backoff": {"jitter": 1.1}},
    {"backoff": {"base": 1e300}},
    {"backoff": {"bsae": 1}},
    {"max_running": -1},
    {"max_running_per_tenant": -1},
    {"retention_days": -1},
    {"retention_days_logs": -1},
    {"active": "maybe"},
    {"origin": "elsewhere"},
    {"tags": "red"},
    {"tags": {}},
    {"isolation": "thread"},
    {"isolation": 1},
    {"on_lost_contact": "panic"},
    {"description": "nul\x00"},
    {"max_atempts": 3},
]


async def test_a_value_that_cannot_be_refuses_the_whole_call(store: Store, make: Factory) -> None:
    before = await store.definitions()
    accepted: list[dict[str, Json]] = []
    for document in BAD:
        try:
            await store.put_definitions([{"key": "good"}, {"key": "d", **document}])
        except Invalid:
            continue
        accepted.append(document)

    assert accepted == []
    assert await store.definitions() == before


@pytest.fixture
def server() -> Generator[tuple[str, list[str]]]:
    """A server that has a schema at every address, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"type": "object"}')

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the name is the base class's
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


def remote(url: str) -> dict[str, Json]:
    """Schemas that refer to something outside, in plain sight and hidden."""
    return {
        "http": {"$ref": f"{url}/a"},
        "https": {"$ref": "https://127.0.0.1:1/a"},
        "file": {"$ref": "file:///etc/hostname"},
        "urn": {"$ref": "urn:jobplane:other"},
        "no scheme": {"$ref": f"//{url.removeprefix('http://')}/a"},
        "relative": {"$ref": "other.json"},
        "relative to an id": {"$id": f"{url}/base/", "$ref": "other"},
        "relative to an inner id": {"properties": {"a": {"$id": f"{url}/b/", "items": {"$ref": "c#/$defs/d"}}}},
        "nothing": {"$ref": ""},
        "deep": {"properties": {"a": {"items": [{"anyOf": [{"not": {"if": {"$ref": f"{url}/b"}}}]}]}}},
        "dynamic": {"$dynamicRef": f"{url}/c#x"},
        "recursive": {"$recursiveRef": f"{url}/c"},
        "not reached": {"$defs": {"unused": {"$ref": f"{url}/d"}}},
        "of an older draft": {"definitions": {"unused": {"dependencies": {"a": {"$ref": f"{url}/e"}}}}},
    }


async def test_a_schema_that_refers_to_something_outside_is_refused_and_nothing_is_fetched(
    store: Store, make: Factory, server: tuple[str, list[str]]
) -> None:
    url, asked = server
    before = await store.definitions()
    for name, schema in remote(url).items():
        with pytest.raises(InvalidSchema, match='"d"') as refused:
            pytest.fail(f"{name}: {await store.put_definitions([{'key': 'good'}, {'key': 'd', 'arg_schema': schema}])}")
        assert refused.value.facts["key"] == "d"

    assert asked == []
    assert await store.definitions() == before


async def test_what_a_schema_says_of_itself_is_not_fetched_either(store: Store, server: tuple[str, list[str]]) -> None:
    url, asked = server
    named: dict[str, Json] = {
        "metaschema": {"$schema": f"{url}/meta", "type": "object"},
        "id": {"$id": f"{url}/me", "$defs": {"a": {"$id": "you", "type": "string"}}, "$ref": "#/$defs/a"},
        "inner": {"$defs": {"a": {"$id": f"{url}/a", "$schema": f"{url}/meta"}}, "$ref": "#/$defs/a"},
        "vocabulary": {"$vocabulary": {f"{url}/v": True}},
    }

    made = await store.put_definitions([{"key": key, "arg_schema": schema} for key, schema in named.items()])

    assert {definition.key: definition.arg_schema for definition in made} == named
    assert asked == []


UNUSABLE: Final[dict[str, tuple[Json, str]]] = {
    "no type": ({"properties": {"a": {"type": "strnig"}}}, "/properties/a/type"),
    "nowhere": ({"$ref": "#/$defs/nowhere"}, "nowhere"),
    "by an inner id": ({"$defs": {"x": {}}, "properties": {"a": {"$id": "b", "$ref": "#/$defs/x"}}}, "exist"),
    "a pattern with a look ahead": ({"properties": {"a": {"pattern": "(?=look)ahead"}}}, "/properties/a/pattern"),
    "a pattern that is none": ({"patternProperties": {"[": {}}}, "/patternProperties"),
    "a pattern that explodes": ({"pattern": "(((a{1,99}){1,99}){1,99}){1,99}"}, "/pattern"),
    "a word with a wrong value": ({"required": "name"}, "/required"),
    "a part that nothing uses": ({"$defs": {"a": {"minLength": -1}}}, "/$defs/a/minLength"),
    "too deep": (reduce(lambda inner, _: {"not": inner}, range(MAX_DEPTH), {}), "deeper"),
    "too much": (
        {"$ref": "#/$defs/d0"}
        | {"$defs": {"d30": {}, **{f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}}},
        "steps",
    ),
}


@pytest.mark.parametrize("name", UNUSABLE)
async def test_a_schema_that_cannot_be_compiled_is_refused_with_the_reason(
    store: Store, make: Factory, name: str
) -> None:
    schema, reason = UNUSABLE[name]
    before = await store.definitions()

    with pytest.raises(InvalidSchema, match=f'"d".*{re.escape(reason)}') as refused:
        await store.put_definitions([{"key": "good"}, {"key": "d", "arg_schema": schema}])

    assert (refused.value.code, refused.value.facts["key"]) == ("invalid_schema", "d")
    assert await store.definitions() == before


async def test_a_schema_may_refer_to_itself(store: Store) -> None:
    tree: Json = {"type": "object", "properties": {"left": {"$ref": "#"}, "right": {"$ref": "#/properties/left"}}}

    [made] = await store.put_definitions([{"key": "tree", "arg_schema": tree}])

    assert made.arg_schema == tree


async def test_an_unknown_queue_is_an_error_for_a_new_definition_and_an_old_one(store: Store, make: Factory) -> None:
    for key in ("d", "new"):
        with pytest.raises(UnknownQueue, match="nowhere"):
            await store.put_definitions([{"key": key, "queue": "nowhere"}])

    assert [definition.key for definition in await store.definitions()] == ["d"]


async def test_definitions_come_by_key_page_by_page(store: Store, make: Factory) -> None:
    await store.put_definitions([{"key": key} for key in ("f", "b", "c", "e")])
    pages: list[list[str]] = []
    after = ""
    while page := await store.definitions(limit=2, after=after):
        pages.append([definition.key for definition in page])
        after = page[-1].key

    assert pages == [["b", "c"], ["d", "e"], ["f"]]


async def test_only_those_named_are_given(store: Store, make: Factory) -> None:
    await make.define("e")

    assert [definition.key for definition in await store.definitions(["e", "nobody"])] == ["e"]
    assert await store.definitions([]) == []
    assert await store.put_definitions([]) == []
