"""A function among the doors that forgets its predicate: the policy holds for its owner too."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import psycopg
import pytest

from tests.tenancy.attack import DENIED, GARBAGE, SETTINGS, hers, shows
from tests.tenancy.catalog import tables
from tests.tenancy.town import TRANSIENT, Town

# Reads, or does, whatever it is told, as jobplane_doors.
_SLOPPY: Final = """
grant create on schema jobplane to jobplane_doors;
create function jobplane.sloppy(p_statement text) returns setof text language plpgsql security definer
  set search_path = pg_catalog, jobplane, pg_temp as $$ begin return query execute p_statement; end $$;
revoke execute on function jobplane.sloppy(text) from public;
grant execute on function jobplane.sloppy(text) to jobplane_app;
alter function jobplane.sloppy(text) owner to jobplane_doors;
revoke create on schema jobplane from jobplane_doors;
"""
_READABLE: Final = "select 1 where has_table_privilege('jobplane_doors', %s, 'select')"


@pytest.fixture
def careless(new_town: Town) -> Town:
    new_town.db.own(_SLOPPY)
    return new_town


def _run(town: Town, tenant: str | UUID | None, statement: str) -> list[str]:
    if tenant is None:
        return [row[0] for row in town.app.execute("select jobplane.sloppy(%s)", [statement])]
    return [row[0] for row in town.as_tenant(tenant, "sloppy(%s)", statement)]


def _sqlstate(town: Town, tenant: str | UUID | None, statement: str) -> str | None:
    with pytest.raises(psycopg.Error) as refused:
        _run(town, tenant, statement)
    return refused.value.sqlstate


def test_it_sees_one_tenant_and_none_without_a_setting(careless: Town) -> None:
    shared = [t.name for t in tables(careless.db) if t.has_tenant and t.name not in TRANSIENT]
    readable = [name for name in shared if careless.db.peek(_READABLE, f"jobplane.{name}")]

    for table in readable:
        everything = f"select t::text from jobplane.{table} t"
        assert shows(_run(careless, careless.alice, everything), [careless.alice]), table
        assert not shows(_run(careless, careless.charlie, everything), hers(careless)), table
        for tenant in (None, "", SETTINGS["stranger"]):
            assert not _run(careless, tenant, everything), table
        for tenant in ("not-a-uuid", "' or true --"):
            assert _sqlstate(careless, tenant, everything) == GARBAGE
    assert "jobs" in readable


def test_it_changes_one_tenants_rows(careless: Town) -> None:
    before, own = careless.facts(careless.alice), f"where tenant_id = '{careless.alice}' returning seq::text"

    for table, change in (
        ("jobs", "set priority = 1"),
        ("endings", "set finished_at = now()"),
        ("receipts", "set seq = 0"),
    ):
        assert not _run(careless, careless.charlie, f"update jobplane.{table} {change} {own}")
    for table in ("ready", "held", "upcoming", "endings", "dedupe", "receipts", "expiring"):
        assert not _run(careless, careless.charlie, f"delete from jobplane.{table} {own}")
        _run(careless, careless.charlie, f"delete from jobplane.{table} returning ''")
    _run(careless, careless.charlie, "update jobplane.leases set cancel_requested_at = now() returning ''")

    assert careless.facts(careless.alice) == before


def test_it_gives_no_row_to_another_tenant(careless: Town) -> None:
    row = f"'{careless.alice}', 'new', 1"
    insert = f"insert into jobplane.dedupe (tenant_id, dedupe_key, seq) values ({row}) returning ''"
    give = f"update jobplane.jobs set tenant_id = '{careless.alice}' returning ''"

    for tenant in (careless.charlie, None, ""):
        assert _sqlstate(careless, tenant, insert) == DENIED
    assert _sqlstate(careless, careless.charlie, give) == DENIED


def test_it_cannot_tell_whether_another_tenants_key_is_taken(careless: Town) -> None:
    """A policy is checked before an index: the answer for a key that is there and for one that is not is the same."""
    key = "insert into jobplane.dedupe (tenant_id, dedupe_key, seq) values ('{}', '{}', 1) returning ''"

    answers = {_sqlstate(careless, careless.charlie, key.format(careless.alice, k)) for k in ("alice-key", "never-was")}

    assert answers == {DENIED}
