"""Those who enqueue in SQL have no Python before them: the functions judge for themselves, with a state of our own."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from jobplane.core.errors import (
    DuplicateJob,
    Invalid,
    InvalidPayload,
    InvalidSchema,
    JobplaneError,
    UnknownDefinition,
    UnknownQueue,
)
from jobplane.core.model import DEFAULT_TENANT
from jobplane.store.postgres.errors import translate_errors
from tests.client import PostgresStore
from tests.database import Database

ONE = "select jobplane.enqueue('d', {payload}::jsonb)"
MANY = "select * from jobplane.enqueue_many(array['d', 'd'], array['{{}}', {payload}]::jsonb[])"
PAYLOADS = {
    "no object": "'[]'",
    "nothing": "null",
    "a number of 401 digits": """'{"x": 1e400}'""",
    "a number of 131,072 digits": """'{"x": 1e131071}'""",
    "65 levels": """('{"x":' || repeat('[', 63) || '1' || repeat(']', 63) || '}')""",
    "65 levels of objects": """(repeat('{"x":', 64) || '1' || repeat('}', 64))""",
    "3,000 levels": """('{"x":' || repeat('[', 3000) || repeat(']', 3000) || '}')""",
    "too many values": """('{"x":[1' || repeat(',1', 10000) || ']}')""",
    "too many bytes": """('{"x":"' || repeat('a', 65530) || '"}')""",
    "10 MB": """('{"x":"' || repeat('a', 10000000) || '"}')""",
}
UNREADABLE = {
    "NUL": r"""'{"x": "\u0000"}'""",
    "a lone surrogate": r"""'{"x": "\ud800"}'""",
    "no JSON": "'{'",
    "not a number": """'{"x": NaN}'""",
    "100,000 levels": "(repeat('[', 100000) || repeat(']', 100000))",
}
ARGUMENTS: dict[str, tuple[str, type[JobplaneError]]] = {
    "definition": ("'nobody-knows'", UnknownDefinition),
    "no definition": ("null", UnknownDefinition),
    "queue": ("'d', p_queue => 'nowhere'", UnknownQueue),
    "priority": ("'d', p_priority => 1001", Invalid),
    "infinity": ("'d', p_scheduled_for => 'infinity'", Invalid),
    "infinity with a key": ("'d', p_scheduled_for => 'infinity', p_dedupe_key => 'k'", Invalid),
    "long ago with a key": ("'d', p_scheduled_for => '-infinity', p_idempotency_key => 'k'", Invalid),
    "the year 10000": ("'d', p_scheduled_for => '10000-01-01Z'", Invalid),
    "expiry": ("'d', p_expires_at => 'infinity'", Invalid),
    "delay": ("'d', p_delay_seconds => 'NaN'", Invalid),
    "endless delay": ("'d', p_delay_seconds => 'infinity'", Invalid),
    "source": ("'d', p_source => 'web'", Invalid),
    "on_duplicate": ("'d', p_dedupe_key => 'k', p_on_duplicate => 'discard'", Invalid),
    "tags": ("'d', p_tags => array['']", Invalid),
    "no tag": ("'d', p_tags => array[null]", Invalid),
    "metadata": ("'d', p_metadata => '[]'", Invalid),
    "trace": ("'d', p_trace_context => repeat('t', 100000)", Invalid),
}


@pytest.fixture
async def app(db: Database, store: PostgresStore) -> psycopg.Connection[tuple[Any, ...]]:
    await store.put_definitions([{"key": "d", "kind": "python"}])
    return db.connect("app")


def run(conn: psycopg.Connection[tuple[Any, ...]], statement: str) -> list[tuple[Any, ...]]:
    with translate_errors(), conn.transaction():
        conn.execute("select set_config('jobplane.tenant_id', %s, true)", [str(DEFAULT_TENANT)])
        return conn.execute(statement.encode()).fetchall()


async def test_a_payload_that_cannot_be_taken_is_refused(
    app: psycopg.Connection[tuple[Any, ...]], store: PostgresStore
) -> None:
    for name, payload in PAYLOADS.items():
        with pytest.raises(InvalidPayload):
            run(app, ONE.format(payload=payload))
        good, bad = run(app, MANY.format(payload=payload))
        assert (good[2], bad[2:4]) == ("created", ("refused", "invalid_payload")), name

    assert (await store.summary(DEFAULT_TENANT)).queued == len(PAYLOADS)


async def test_what_the_server_cannot_read_never_reaches_us(
    app: psycopg.Connection[tuple[Any, ...]], store: PostgresStore
) -> None:
    for payload in UNREADABLE.values():
        with pytest.raises(Invalid):
            run(app, ONE.format(payload=payload))

    assert (await store.summary(DEFAULT_TENANT)).queued == 0


async def test_an_argument_that_cannot_be_is_refused(
    app: psycopg.Connection[tuple[Any, ...]], store: PostgresStore
) -> None:
    wrong: dict[str, str] = {}
    for name, (arguments, kind) in ARGUMENTS.items():
        try:
            run(app, f"select * from jobplane.enqueue({arguments})")
        except kind:
            continue
        except JobplaneError as error:
            wrong[name] = f"{error.code}: {error.message}"
        else:
            wrong[name] = "accepted"

    assert wrong == {}
    assert (await store.summary(DEFAULT_TENANT)).queued == 0


async def test_the_last_that_fits_is_taken(app: psycopg.Connection[tuple[Any, ...]]) -> None:
    fitting = [
        """('{"x":' || repeat('[', 62) || '1' || repeat(']', 62) || '}')""",
        """('{"x":' || repeat('9', 309) || '}')""",
        """('{"x":[1' || repeat(',1', 9997) || ']}')""",
        """('{"x":"' || repeat('a', 65527) || '"}')""",
    ]

    for payload in fitting:
        assert len(run(app, ONE.format(payload=payload))) == 1


async def test_a_search_for_a_level_that_there_is_not_is_refused(app: psycopg.Connection[tuple[Any, ...]]) -> None:
    for level in ("loud", "INFO", ""):
        with pytest.raises(Invalid, match=f'level must be debug, info, warning or error, not "{level}"') as refused:
            run(app, f"select * from jobplane.search_logs('x', p_level => '{level}')")
        assert refused.value.facts["sqlstate"] == "JP002"


async def test_a_key_that_another_definition_holds_has_a_state_of_its_own(
    app: psycopg.Connection[tuple[Any, ...]], store: PostgresStore
) -> None:
    await store.put_definitions([{"key": "other", "kind": "python"}])
    [(holder,)] = run(app, "select job_id from jobplane.enqueue('d', p_dedupe_key => 'k')")

    for on_duplicate in ("replace", "postpone"):
        with pytest.raises(DuplicateJob, match=str(holder)) as refused:
            run(app, f"select jobplane.enqueue('other', p_dedupe_key => 'k', p_on_duplicate => '{on_duplicate}')")
        assert refused.value.facts["sqlstate"] == "JP008"


REMOTE: tuple[str, ...] = (
    '{"$ref": "http://127.0.0.1:1/x"}',
    '{"properties": {"a": {"items": [{"not": {"$ref": "other.json"}}]}}}',
    '{"$defs": {"a": {"$dynamicRef": "urn:x"}}}',
    '{"$recursiveRef": ""}',
    '{"$ref": "#anchor"}',
    '{"$ref": " #/x"}',
    r'{"$ref": "http://x/\n#"}',
)
LOCAL: tuple[str, ...] = (
    '{"$ref": "#"}',
    '{"$ref": "#/$defs/a", "$defs": {"a": true}}',
    '{"properties": {"$ref": {"type": "string"}}}',
)


async def test_a_schema_that_refers_to_something_outside_is_refused_in_sql_too(
    db: Database, store: PostgresStore
) -> None:
    [before] = await store.put_definitions([{"key": "d", "kind": "python"}])
    put = "select * from jobplane.put_definitions(array[jsonb_build_object('key', 'd', 'arg_schema', %s::jsonb)])"
    with db.connect("admin") as conn:
        for schema in REMOTE:
            with pytest.raises(InvalidSchema, match='"d"') as refused, translate_errors(), conn.transaction():
                conn.execute(put, [schema])
            assert refused.value.facts["sqlstate"] == "JP018"
        assert await store.definitions() == [before]
        for schema in LOCAL:
            conn.execute(put, [schema])
