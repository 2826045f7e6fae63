"""What the logins are and hold: EXECUTE, at most a look at their own rows, and nothing to build a trap with."""

from __future__ import annotations

from typing import Final

import psycopg
import pytest

from tests.database import Database
from tests.tenancy.attack import DENIED
from tests.tenancy.catalog import LOGINS, may_read, tables
from tests.tenancy.town import Town

ROLES: Final = [f"jobplane_{login}" for login in LOGINS]
INNER: Final = ["jobplane_owner", "jobplane_doors", "jobplane_engine", "jobplane_hot"]
WRITES: Final = ["insert", "update", "delete", "truncate", "references", "trigger"]
HIDDEN: Final = {"token", "limit_keys"}


def _keeps_hot_tables(db: Database, role: str) -> bool:
    """Where there is no MAINTAIN privilege, maintenance may vacuum the hot tables as a member of their owner."""
    return (
        role == "jobplane_maintenance" and db.peek("select current_setting('server_version_num')::int < 170000")[0][0]
    )


def test_no_role_goes_round_the_policies(town: Town) -> None:
    powers = "rolsuper or rolbypassrls or rolcreaterole or rolreplication"

    assert not town.db.peek(f"select rolname from pg_roles where rolname = any (%s) and ({powers})", ROLES + INNER)


def test_who_owns_functions_cannot_log_in(town: Town) -> None:
    found = town.db.peek("select rolname::text from pg_roles where rolname = any (%s) and rolcanlogin", ROLES + INNER)

    assert {row[0] for row in found} == {*ROLES, "jobplane_owner"}


def test_a_login_owns_nothing(town: Town) -> None:
    owned = (
        "select rolname, classid::regclass, objid from pg_shdepend join pg_roles r on r.oid = refobjid"
        " where refclassid = 'pg_authid'::regclass and deptype = 'o' and rolname = any (%s)"
    )

    assert not town.db.peek(owned, ROLES)


@pytest.mark.parametrize("role", ROLES)
def test_a_login_is_a_member_of_nothing(town: Town, role: str) -> None:
    found = town.db.peek(
        "select rolname::text from pg_roles where pg_has_role(%s, oid, 'member') and rolname <> %s", role, role
    )

    assert [row[0] for row in found] == (["jobplane_hot"] if _keeps_hot_tables(town.db, role) else [])


@pytest.mark.parametrize("role", ROLES)
def test_a_login_cannot_put_on_another_role(town: Town, role: str) -> None:
    conn = town.db.connect(role.removeprefix("jobplane_"))
    others = [
        other
        for other in ROLES + INNER
        if other != role and not (other == "jobplane_hot" and _keeps_hot_tables(town.db, role))
    ]

    for other in others:
        for statement in (f"set local role {other}", f"set local session authorization {other}"):
            with pytest.raises(psycopg.Error) as refused, conn.transaction():
                conn.execute(statement.encode())
            assert refused.value.sqlstate == DENIED


@pytest.mark.parametrize("role", ROLES)
def test_a_login_has_no_privilege_to_write(town: Town, role: str) -> None:
    held = "has_table_privilege(%s, c.oid, p) or (p in ('insert', 'update', 'references') and {})"
    by_column = held.format("has_any_column_privilege(%s, c.oid, p)")
    written = town.db.peek(
        "select c.relname::text, p, pg_get_userbyid(c.relowner)::text from pg_class c, unnest(%s::text[]) p"
        f" where c.relnamespace = 'jobplane'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and ({by_column})",
        WRITES, role, role,
    )  # fmt: skip

    assert not [row for row in written if not (row[2] == "jobplane_hot" and _keeps_hot_tables(town.db, role))]


@pytest.mark.parametrize("role", ROLES)
def test_a_login_makes_nothing_in_a_schema_that_functions_look_into(town: Town, role: str) -> None:
    schemas = "select nspname from pg_namespace where nspname !~ '^pg_(toast|temp)'"

    assert not town.db.peek(f"{schemas} and has_schema_privilege(%s, oid, 'create')", role)
    assert not town.db.peek("select 1 where has_database_privilege(%s, current_database(), 'create')", role)


@pytest.mark.parametrize("role", ROLES)
def test_a_login_cannot_read_or_move_a_sequence(town: Town, role: str) -> None:
    held = "case relkind when 'S' then has_sequence_privilege(%s, oid, 'usage, select, update') end"
    found = town.db.peek(
        "select relname, pg_get_userbyid(relowner)::text from pg_class"
        f" where relnamespace = 'jobplane'::regnamespace and {held}",
        role,
    )

    assert not [row for row in found if not (row[1] == "jobplane_hot" and _keeps_hot_tables(town.db, role))]


@pytest.mark.parametrize("role", ROLES)
def test_the_application_alone_reads_tables_and_never_a_lease_token(town: Town, role: str) -> None:
    owned = {t.name for t in tables(town.db) if t.owner == "jobplane_hot" and _keeps_hot_tables(town.db, role)}
    read = {n: set(c) for n, c in may_read(town.db, role.removeprefix("jobplane_")).items() if n not in owned}

    assert not [name for name, found in read.items() if found & HIDDEN]
    if role != "jobplane_app":
        assert set(read) == {"installation", "migrations"}
