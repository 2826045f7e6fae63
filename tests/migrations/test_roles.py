from collections.abc import Iterator

import pytest

from jobplane.core.errors import Forbidden
from jobplane.embedded import EmbeddedServer
from jobplane.store.postgres import migrate
from jobplane.store.postgres.refusals import MigrationFailed, RolesMissing
from tests.migrations.cluster import Database, new_database, running
from tests.migrations.tree import Tree

SHAPE = """
select string_agg(r.rolname || r.rolcanlogin || r.rolinherit || r.rolsuper || r.rolbypassrls || array(
  select roleid::regrole::text from pg_auth_members where member = r.oid order by 1)::text, ' ' order by r.rolname)
from pg_roles r where r.rolname like 'jobplane\\_%'
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    """A server that has never heard of jobplane's roles."""
    with running(tmp_path_factory.mktemp("bare"), roles=False) as server:
        yield server


@pytest.fixture
def site(bare: EmbeddedServer) -> Database:
    return new_database(bare, "dba")


def test_from_nothing_to_a_migrated_database_without_a_superuser(site: Database, tree: Tree) -> None:
    with pytest.raises(RolesMissing, match=r"jobplane_owner\. Run `jobplane migrate roles`"):
        migrate.up(site.url("dba"), root=tree.root)

    migrate.roles(site.url("dba"))
    once = site.value(SHAPE, "dba")
    migrate.roles(site.url("dba"))
    assert site.value(SHAPE, "dba") == once

    migrate.roles(site.url("dba"), grants=[("owner", "jobplane_dba")])
    assert migrate.up(site.url("dba"), root=tree.root).number == 2
    assert migrate.status(site.url("dba"), root=tree.root).up_to_date


def test_an_application_login_gets_the_tenants_doors(site: Database, tree: Tree) -> None:
    migrate.roles(site.url("dba"), grants=[("owner", "jobplane_dba"), ("app", "jobplane_stranger")])
    migrate.up(site.url("dba"), root=tree.root)

    site.values("select jobplane.put(1, 'one')", "stranger")

    assert site.value(
        "select has_function_privilege('jobplane_stranger', 'jobplane.put(bigint, text)', 'execute')", "dba"
    )
    assert not site.value("select has_table_privilege('jobplane_stranger', 'jobplane.things', 'select')", "dba")


def test_a_role_that_does_not_exist_is_named(site: Database) -> None:
    with pytest.raises(MigrationFailed, match='role "no;body" does not exist'):
        migrate.roles(site.url("dba"), grants=[("app", "no;body")])


def test_a_login_that_may_not_make_roles_is_refused(site: Database) -> None:
    with pytest.raises(Forbidden, match="roles: "):
        migrate.roles(site.url("stranger"))
