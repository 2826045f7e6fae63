"""Traps that a login can set in its own temporary schema, and what the planner might tell."""

from __future__ import annotations

from typing import Final, LiteralString, cast

import psycopg
import pytest

from tests.tenancy.attack import hers, shows
from tests.tenancy.catalog import LOGINS, may_read, tables
from tests.tenancy.town import HUSH, KEY, Connection, Town, run

_TRAPS: Final = """
create temp table jobs (like jobplane.jobs) on commit drop;
create temp table ready (like jobplane.ready) on commit drop;
create function pg_temp.clock() returns timestamptz language sql as 'select timestamptz ''1999-01-01Z''';
create function pg_temp.current_tenant() returns uuid language sql as 'select ''{alice}''::uuid';
create function pg_temp.current_setting(text, boolean) returns text language sql as 'select ''{alice}''';
create function pg_temp.same(uuid, uuid) returns boolean language sql as 'select true';
create operator pg_temp.= (leftarg = uuid, rightarg = uuid, function = pg_temp.same);
set local search_path = pg_temp, jobplane, pg_catalog;
"""
_LEAK: Final = """
create function pg_temp.leak(text) returns boolean language plpgsql cost 0.0000001 as
$$ begin raise notice 'leaked %', $1; return true; end $$"""
_BLOW: Final = """
create function pg_temp.blow(text) returns boolean language plpgsql cost 0.0000001 as
$$ begin if $1 like '%hush%' then raise exception 'leaked %', $1; end if; return true; end $$"""
_STATISTICS: Final = "select t::text from {} t where schemaname = 'jobplane'"


def _be(conn: Connection, tenant: object) -> None:
    conn.execute("select set_config('jobplane.tenant_id', %s, true)", [str(tenant)])


def _readable(town: Town) -> dict[str, list[str]]:
    """The columns that an application may read, of every table with a tenant."""
    return {name: columns for name, columns in may_read(town.db, "app").items() if "tenant_id" in columns}


def test_a_shadow_in_the_temporary_schema_catches_nothing(town: Town) -> None:
    with town.app.transaction(force_rollback=True):
        _be(town.app, town.charlie)
        run(town.app, _TRAPS.format(alice=town.alice))
        (job_id, *_), *_ = run(town.app, "select * from jobplane.enqueue('d', '{}')")
        jobs = run(
            town.app, "select tenant_id, extract(year from created_at) from jobplane.get_jobs(array[%s])", job_id
        )
        listed = run(town.app, "select v::text from jobplane.list_jobs() v")
        direct = run(town.app, "select v::text from jobplane.jobs v")
        caught = run(town.app, "select 1 from pg_temp.jobs union all select 1 from pg_temp.ready")

    assert jobs == [(town.charlie, 2026)]
    assert not shows([row[0] for row in listed + direct], hers(town))
    assert not caught


@pytest.mark.parametrize("door", ["get_jobs(%s)", "cancel(%s)", "retry(%s)", "reschedule(%s, null, 60)"])
def test_a_shadow_opens_no_door_to_alice(town: Town, door: str) -> None:
    with town.app.transaction(force_rollback=True):
        _be(town.app, town.charlie)
        run(town.app, _TRAPS.format(alice=town.alice))
        answers = run(town.app, f"select v::text from jobplane.{door} v", list(town.target.ids))

    assert all("not_found" in answer for (answer,) in answers)


def test_a_cheap_predicate_with_a_side_effect_is_shown_no_row_of_alices(town: Town) -> None:
    told: list[str] = []
    conn = town.db.connect("app")
    conn.add_notice_handler(lambda notice: told.append(notice.message_primary or ""))

    with conn.transaction(force_rollback=True):
        _be(conn, town.charlie)
        conn.execute(_LEAK)
        for table, columns in _readable(town).items():
            run(conn, f"select 1 from jobplane.{table} where pg_temp.leak(({', '.join(columns)}, '')::text)")

    assert shows(told, [town.charlie])
    assert not shows(told, hers(town))


def test_a_predicate_that_fails_on_alices_row_does_not_fail(town: Town) -> None:
    with town.app.transaction(force_rollback=True):
        _be(town.app, town.charlie)
        town.app.execute(_BLOW.encode())
        for table, columns in _readable(town).items():
            run(town.app, f"select 1 from jobplane.{table} where pg_temp.blow(({', '.join(columns)}, '')::text)")


def test_an_explained_statement_tells_no_value_of_alices(town: Town) -> None:
    with town.app.transaction(force_rollback=True):
        _be(town.app, town.charlie)
        for table, columns in _readable(town).items():
            order = f"select {', '.join(columns)} from jobplane.{table} order by {columns[0]}"
            plan = run(town.app, f"explain (analyze, verbose, buffers, settings) {order}")
            assert not shows([row[0] for row in plan], hers(town)), table


@pytest.mark.parametrize("login", LOGINS)
@pytest.mark.parametrize("view", ["pg_stats", "pg_stats_ext", "pg_stats_ext_exprs"])
def test_the_planners_statistics_tell_no_value_of_alices(town: Town, login: str, view: str) -> None:
    _analyze(town)

    rows = run(town.db.connect(login), _STATISTICS.format(view))

    assert not shows([row[0] for row in rows], [town.alice, HUSH, KEY])
    if view == "pg_stats" and login == "app":
        assert "definitions" in str(rows)


@pytest.mark.parametrize("login", LOGINS)
@pytest.mark.parametrize("catalog", ["pg_statistic", "pg_statistic_ext_data", "pg_authid"])
def test_no_login_reads_the_catalogs_that_have_values(town: Town, login: str, catalog: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        town.db.connect(login).execute(cast("LiteralString", f"select * from {catalog}"))


def _analyze(town: Town) -> None:
    """Each table as its owner, who alone may on PostgreSQL 15 and 16."""
    each = (f"set role {table.owner}; analyze jobplane.{table.name}; reset role" for table in tables(town.db))
    town.db.own(";".join(each))
