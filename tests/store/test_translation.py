"""Every SQLSTATE becomes one error of jobplane's tree, and what a caller sees is a sentence."""

from __future__ import annotations

import re
from typing import Any, Final, LiteralString

import psycopg
import pytest
from psycopg_pool import PoolTimeout

from jobplane.core import errors
from jobplane.store.postgres.errors import TYPED, translate, translate_errors
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.source import PACKAGED
from tests.client import PostgresStore
from tests.database import Database

FOREIGN: Final[dict[str, type[errors.JobplaneError]]] = {
    "22003": errors.Invalid,  # out of range
    "22P02": errors.Invalid,  # not a uuid
    "22P05": errors.Invalid,  # a character that cannot be kept
    "23505": errors.AlreadyExists,
    "25006": errors.StoreUnavailable,  # a standby
    "3F000": errors.SchemaOutOfDate,
    "40001": errors.StoreBusy,
    "40P01": errors.StoreBusy,
    "42501": errors.Forbidden,
    "42703": errors.SchemaOutOfDate,
    "42883": errors.SchemaOutOfDate,
    "53100": errors.StorageFull,
    "53300": errors.StoreUnavailable,  # too many connections
    "54000": errors.Invalid,
    "54001": errors.InvalidPayload,
    "55P03": errors.StoreBusy,
    "57014": errors.StoreBusy,
    "57P01": errors.StoreUnavailable,  # the server shuts down
    "58030": errors.StoreError,
    "XX000": errors.StoreError,
}


def raised(conn: psycopg.Connection[Any], state: str) -> psycopg.Error:
    """A real error of the server with this state."""
    body = f"raise exception 'as asked' using errcode = '{state}', hint = 'a hint'"
    with pytest.raises(psycopg.Error) as caught:
        conn.execute(f"do $$ begin {body}; end $$".encode())
    return caught.value


def test_a_state_becomes_its_error(db: Database) -> None:
    conn = db.connect("app")
    found = {state: translate(raised(conn, state)) for state in TYPED | FOREIGN}

    assert {state: type(error) for state, error in found.items()} == TYPED | FOREIGN
    assert all("as asked" in error.message for error in found.values())
    assert {state: error.facts["sqlstate"] for state, error in found.items()} == {state: state for state in found}


def test_the_states_of_the_functions_are_the_ones_that_have_a_type() -> None:
    """Each is raised somewhere; JP014 and others are also answers of a row, by the code of their error."""
    text = "".join(path.read_text() for path in PACKAGED.rglob("*.sql"))

    assert set(re.findall(r"JP\d{3}", text)) <= set(TYPED)


def test_every_code_that_a_row_may_be_refused_with_is_one_of_the_tree() -> None:
    codes = {kind.code for kind in TYPED.values()}

    assert {"invalid", "invalid_payload", "unknown_definition", "unknown_queue", "quota_exceeded"} <= codes
    assert len(codes) == len(TYPED)


@pytest.mark.parametrize("newer", ["select jobplane.not_yet()", "select not_yet from jobplane.get_definitions(null)"])
def test_a_missing_function_or_column_names_the_command(db: Database, newer: LiteralString) -> None:
    """A program that is newer than the functions; only tables have a number that is looked at before."""
    with pytest.raises(errors.SchemaOutOfDate, match="jobplane migrate up"), translate_errors():
        db.connect("app").execute(newer)


def test_a_pool_without_a_free_connection_is_an_unavailable_store() -> None:
    with pytest.raises(errors.StoreUnavailable), translate_errors():
        raise PoolTimeout("couldn't get a connection after 10.00 sec")


async def test_a_cut_connection_is_unavailable_once_and_the_next_call_works(db: Database) -> None:
    """Without a pooler, which would mend it before anybody sees it."""
    async with PostgresStore(
        Settings(urls={"app": db.url("admin", direct=True)}, allow_unsafe_durability=True)
    ) as store:
        before = await store.queues()
        with db.cluster.admin() as conn, conn.transaction():
            conn.execute("set local role pg_signal_backend")
            conn.execute("select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = %s", [db.name])

        with pytest.raises(errors.StoreUnavailable):
            await store.queues()

        assert await store.queues() == before


async def test_a_login_that_may_not_is_forbidden(db: Database, store: PostgresStore) -> None:
    with pytest.raises(errors.Forbidden), translate_errors():
        db.connect("worker").execute("select * from jobplane.create_tenant('mine')")

    assert "mine" not in [tenant.slug for tenant in await store.tenants()]
