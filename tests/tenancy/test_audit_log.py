"""The audit log is append-only: no login changes it, and only verbs add to it."""

from __future__ import annotations

from typing import Final, LiteralString, cast

import psycopg
import pytest

from tests.tenancy.attack import DENIED
from tests.tenancy.catalog import LOGINS
from tests.tenancy.town import Connection, Town

APPENDED: Final = {"audit_log": "action", "audit_chain": "digest"}
_FORGED: Final = (
    """insert into jobplane.audit_log (tenant_id, at, actor, login, action, targets, target_count)
       values (gen_random_uuid(), now(), '{}', 'bob', 'cancelJob', '{}', 0)""",
    "insert into jobplane.audit_chain values (1000000, 1000000, '', now())",
    "update jobplane.audit_head set digest = ''",
    "select jobplane.audit('cancelJob', null, '{}')",
)
_CHANGES: Final = (
    "update jobplane.{table} set {column} = {column}",
    "delete from jobplane.{table}",
    "truncate jobplane.{table}",
)
_UNDERMINES: Final = (
    "drop table jobplane.{table}",
    "alter table jobplane.{table} disable row level security",
    "alter table jobplane.{table} no force row level security",
    "alter table jobplane.{table} disable trigger all",
    "alter table jobplane.{table} owner to current_user",
    "create policy anybody on jobplane.{table} using (true)",
    "create rule quiet as on insert to jobplane.{table} do instead nothing",
)


def filled(templates: tuple[str, ...]) -> list[str]:
    return [each.format(table=table, column=column) for table, column in APPENDED.items() for each in templates]


def allowed(conn: Connection, statements: list[str]) -> list[str]:
    """Those that are not refused for a missing privilege; each is taken back."""
    return [statement for statement in statements if _sqlstate(conn, statement) != DENIED]


def _sqlstate(conn: Connection, statement: str) -> str | None:
    try:
        with conn.transaction(force_rollback=True):
            conn.execute(cast("LiteralString", statement))
    except psycopg.Error as error:
        return error.sqlstate
    return None


@pytest.mark.parametrize("login", LOGINS)
def test_no_login_forges_changes_or_undermines_the_log(town: Town, login: str) -> None:
    attacks = [*_FORGED, *filled(_CHANGES), *filled(_UNDERMINES)]

    assert allowed(town.db.connect(login), attacks) == []


def test_neither_the_engine_nor_the_owner_changes_an_entry(town: Town) -> None:
    owner, engine = town.db.connect("owner"), town.db.connect("owner")
    engine.execute("set role jobplane_engine")

    assert allowed(owner, filled(_CHANGES)) == []
    assert allowed(engine, [*filled(_CHANGES), *filled(_UNDERMINES)]) == []


def test_a_grant_opens_nothing(town: Town) -> None:
    """PostgreSQL answers a grant without the right to it with a warning."""
    for login in LOGINS:
        conn = town.db.connect(login)
        assert allowed(conn, [f"grant all on jobplane.{table} to current_user" for table in APPENDED]) == []
        assert allowed(conn, filled(_CHANGES)) == []


def test_every_entry_names_the_real_login(town: Town) -> None:
    """Whatever actor a caller names."""
    app = town.db.connect("app")
    with app.transaction():
        app.execute("""select set_config('jobplane.actor', '{"type": "login", "id": "jobplane_admin"}', true)""")
        app.execute("select set_config('jobplane.tenant_id', %s, true)", [str(town.alice)])
        job = app.execute("select job_id from jobplane.enqueue('d')").fetchall()[0][0]
        app.execute("select jobplane.cancel(%s)", [[job]])

    found = town.db.peek("select login, actor ->> 'id' from jobplane.audit_log where targets = %s", [str(job)])

    assert found == [("jobplane_app", "jobplane_admin")]
