"""The walls as the catalog has them: policies, owners, privileges."""

from __future__ import annotations

from typing import Final

import pytest

from jobplane.store.postgres import source
from tests.tenancy.catalog import LOGINS, functions, may_execute, tables
from tests.tenancy.town import Town

TENANT: Final = (
    "(tenant_id = ( SELECT (NULLIF(current_setting('jobplane.tenant_id'::text, true), ''::text))::uuid AS \"nullif\"))"
)
# The same in words that are no index condition.
DOORS: Final = f"(NOT ({TENANT[1:-1].replace(' = (', ' IS DISTINCT FROM (')}))"
# Who makes and drops a table must own it.
OWNERS: Final = {"make_log_blocks", "drop_log_block"}
PATH: Final = "search_path=pg_catalog, jobplane, pg_temp"

_CLASSES: Final = "from pg_class c where c.relnamespace = 'jobplane'::regnamespace"
_HAS_TENANT: Final = "exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id')"


def test_every_table_with_a_tenant_has_row_security_enabled_and_forced(town: Town) -> None:
    flags = "c.relname, c.relrowsecurity, c.relforcerowsecurity"
    found = town.db.peek(f"select {flags} {_CLASSES} and c.relkind in ('r', 'p') and {_HAS_TENANT}")

    assert found
    assert not [row for row in found if row[1:] != (True, True)]


def test_no_row_is_without_a_tenant(town: Town) -> None:
    """Or a setting that is missing could equal it."""
    loose = f"{_CLASSES} and c.relkind in ('r', 'p') and exists (select from pg_attribute a where a.attrelid = c.oid"

    assert not town.db.peek(f"select c.relname {loose} and a.attname = 'tenant_id' and not a.attnotnull)")


def test_the_policies_are_the_tenants_and_the_engines_with_no_arm_for_a_missing_setting(town: Town) -> None:
    columns = "tablename, policyname, permissive, cmd, roles::text[], qual, with_check"
    found = town.db.peek(f"select {columns} from pg_policies where schemaname = 'jobplane'")

    wanted = [
        row
        for table in tables(town.db)
        if table.has_tenant
        for row in (
            (table.name, "engine", "PERMISSIVE", "ALL", ["jobplane_engine"], "true", "true"),
            (table.name, "doors", "PERMISSIVE", "ALL", ["jobplane_doors"], DOORS, DOORS),
            (table.name, "tenant", "PERMISSIVE", "ALL", ["jobplane_app"], TENANT, TENANT),
        )
    ]
    assert sorted((*row[:4], sorted(row[4]), *row[5:]) for row in found) == sorted(wanted)


def test_a_definer_function_pins_its_search_path_and_belongs_to_doors_or_engine(town: Town) -> None:
    found = town.db.peek(
        "select proname, pg_get_userbyid(proowner), proconfig[1] from pg_proc"
        " where pronamespace = 'jobplane'::regnamespace and prosecdef"
    )

    assert found
    assert {row[0] for row in found if row[1] not in {"jobplane_doors", "jobplane_engine"}} == OWNERS
    assert not [row for row in found if row[2] != PATH]


def test_nobody_executes_as_public(town: Town) -> None:
    """A function without an access list is everybody's."""
    found = town.db.peek(
        "select proname from pg_proc where pronamespace = 'jobplane'::regnamespace"
        " and (proacl is null or exists (select from aclexplode(proacl) a where a.grantee = 0))"
    )

    assert not found


@pytest.mark.parametrize("login", LOGINS)
def test_a_login_executes_what_the_verbs_are_for_and_nothing_else(town: Town, login: str) -> None:
    verbs = {routine for file in source.load().code if login in file.grantees for routine in file.routines}

    allowed = may_execute(town.db, login)

    assert {function.name for function in functions(town.db) if function.oid in allowed} == verbs


def test_every_function_stands_in_a_file_with_its_owner(town: Town) -> None:
    written = {(routine, f"jobplane_{file.owner}") for file in source.load().code for routine in file.routines}

    assert {(function.name, function.owner) for function in functions(town.db)} == written


def test_only_verbs_act_for_their_owner(town: Town) -> None:
    strays = {f.name for f in functions(town.db) if f.is_definer != (f.owner != "jobplane_owner")}

    assert strays == OWNERS


def test_what_acts_for_the_schemas_owner_is_the_engines_to_call(town: Town) -> None:
    callers = town.db.peek(
        "select distinct proname::text, a.grantee::regrole::text from pg_proc, aclexplode(proacl) a"
        " where pronamespace = 'jobplane'::regnamespace and proname = any (%s) and a.grantee <> proowner",
        list(OWNERS),
    )

    assert set(callers) == {(name, "jobplane_engine") for name in OWNERS}


def test_a_key_that_a_tenant_can_probe_leads_with_the_tenant(town: Town) -> None:
    """A seq is given by a sequence, a slug by an admin, a key's id by chance: no tenant chooses one."""
    found = town.db.peek(
        "select i.indexrelid::regclass::text, a.attname::text from pg_index i join pg_class c on c.oid = i.indrelid"
        " join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]"
        f" where i.indisunique and c.relnamespace = 'jobplane'::regnamespace and {_HAS_TENANT}"
    )

    strays = {row[0] for row in found if row[1] not in {"tenant_id", "seq"}}
    assert strays == {
        "jobplane.tenants_slug_key", "jobplane.expiring_pkey", "jobplane.api_keys_pkey", "jobplane.audit_log_pkey"
    }  # fmt: skip


def test_no_foreign_key_starts_at_a_table_with_a_tenant(town: Town) -> None:
    keys = "select conname from pg_constraint k join pg_class c on c.oid = k.conrelid where k.contype = 'f'"

    assert not town.db.peek(f"{keys} and {_HAS_TENANT}")


def test_a_view_looks_with_the_eyes_of_who_asks(town: Town) -> None:
    views = town.db.peek(f"select c.relname, c.reloptions::text[] {_CLASSES} and c.relkind in ('v', 'm')")

    assert not [name for name, options in views if "security_invoker=true" not in (options or [])]
