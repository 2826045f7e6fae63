from __future__ import annotations

import pytest

from jobplane.core.errors import Invalid, UnknownQueue
from jobplane.core.model import Backoff, Definition, Json
from jobplane.store.base import Store
from tests.clock import Clock
from tests.conformance.factory import Factory

CLOSED = {"type": "object", "additionalProperties": False}
FULL: dict[str, Json] = {
    "key": "Sync.Drop_box-2",
    "kind": "command",
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
