"""Every table, read and written by every login, whatever the connection says of its tenant."""

from __future__ import annotations

from typing import Final, LiteralString, cast

import psycopg
import pytest

from tests.tenancy.attack import DENIED, SETTINGS, hers, shows
from tests.tenancy.catalog import LOGINS, Table, may_read, tables
from tests.tenancy.town import TENANT_TABLES, TRANSIENT, Connection, Town

_WRITES: Final = (
    "insert into jobplane.{table} default values",
    "insert into jobplane.{table} ({column}) select {column} from jobplane.{table}",
    "update jobplane.{table} set {column} = {column}",
    "delete from jobplane.{table}",
    "truncate jobplane.{table}",
    "merge into jobplane.{table} t using (values (1)) x on false when not matched then insert default values",
    "copy jobplane.{table} from stdin",
    "select {column} from jobplane.{table} for update",
    "create trigger t after insert on jobplane.{table} execute function suppress_redundant_updates_trigger()",
    "create index on jobplane.{table} ({column})",
    "alter table jobplane.{table} disable row level security",
    "drop table jobplane.{table}",
)


def test_alice_has_a_row_in_every_table_with_a_tenant(town: Town) -> None:
    """Or the attacks below would be aimed at nothing."""
    tables_ = [row[0] for row in town.db.peek(TENANT_TABLES) if row[0] not in TRANSIENT]

    empty = [
        t for t in tables_ if not town.db.peek(f"select 1 from jobplane.{t} where tenant_id = %s limit 1", town.alice)
    ]

    assert tables_
    assert not empty


@pytest.mark.parametrize("setting", [*SETTINGS, "charlie"])
@pytest.mark.parametrize("login", LOGINS)
def test_no_table_shows_another_tenants_rows(town: Town, login: str, setting: str) -> None:
    tenant = SETTINGS[setting] if setting in SETTINGS else str(town.charlie)
    conn = town.db.connect(login)

    readable, there = may_read(town.db, login), tables(town.db)
    seen = {table.name: _read(conn, table, readable.get(table.name, []), tenant) for table in there}

    assert not [name for name, rows in seen.items() if shows(rows, hers(town))]
    if setting != "charlie":
        assert not [table.name for table in there if table.has_tenant and seen[table.name]]


def test_charlie_reads_charlies_rows_and_alice_reads_alices(town: Town) -> None:
    for tenant in (town.alice, town.charlie):
        with town.app.transaction():
            town.app.execute("select set_config('jobplane.tenant_id', %s, true)", [str(tenant)])
            seen = {row[0] for row in town.app.execute("select tenant_id from jobplane.jobs")}

        assert seen == {tenant}


@pytest.mark.parametrize("login", LOGINS)
def test_no_login_writes_to_a_table(town: Town, login: str) -> None:
    conn = town.db.connect(login)
    targets = [table for table in tables(town.db) if not _is_kept_by(login, table)]

    done = [
        statement
        for table in targets
        for template in _WRITES
        for statement in [template.format(table=table.name, column=table.columns[-1])]
        if _sqlstate(conn, statement, str(town.alice)) != DENIED
    ]

    assert targets
    assert not done


def test_a_login_that_keeps_the_hot_tables_reads_and_writes_no_tenants_row(town: Town) -> None:
    """On PostgreSQL 15 and 16 maintenance acts as their owner, whom the policies hold back as well."""
    conn = town.db.connect("maintenance")
    kept = [table for table in tables(town.db) if table.has_tenant and _is_kept_by("maintenance", table)]

    for table in kept:
        with conn.transaction(force_rollback=True):
            conn.execute("select set_config('jobplane.tenant_id', %s, true)", [str(town.alice)])
            for statement in (
                "select 1 from jobplane.{}",
                "update jobplane.{} set tenant_id = tenant_id",
                "delete from jobplane.{}",
            ):
                assert conn.execute(cast("LiteralString", statement.format(table.name))).rowcount == 0


def _is_kept_by(login: str, table: Table) -> bool:
    return login == "maintenance" and table.owner == "jobplane_hot"


def _read(conn: Connection, table: Table, columns: list[str], tenant: str | None) -> list[str]:
    """All rows in the columns that the login may read; where it may read none, the whole table must be refused."""
    try:
        with conn.transaction():
            if tenant is not None:
                conn.execute("select set_config('jobplane.tenant_id', %s, true)", [tenant])
            wanted = ", ".join(columns) or "*"
            rows = conn.execute(cast("LiteralString", f"select ({wanted})::text from jobplane.{table.name}")).fetchall()
    except psycopg.Error:
        return []
    assert columns
    return [row[0] for row in rows]


def _sqlstate(conn: Connection, statement: str, tenant: str) -> str:
    try:
        with conn.transaction(force_rollback=True):
            conn.execute("select set_config('jobplane.tenant_id', %s, true)", [tenant])
            conn.execute(cast("LiteralString", statement))
    except psycopg.Error as error:
        return error.sqlstate or ""
    return ""
