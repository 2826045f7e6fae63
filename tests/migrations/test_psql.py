import shutil
import subprocess

import pytest

from jobplane.store.postgres import migrate, script
from tests.migrations.cluster import Database
from tests.migrations.tree import Tree

PSQL = shutil.which("psql")
pytestmark = pytest.mark.skipif(PSQL is None, reason="there is no psql on this machine")


def psql(database: Database, text: str) -> None:
    command = [PSQL or "", "-X", "-q", "-v", "ON_ERROR_STOP=1", database.url()]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("trust", ["roles", "single"])
def test_the_script_does_what_up_does(database: Database, tree: Tree, trust: script.Trust) -> None:
    psql(database, migrate.psql(database.url(), trust=trust, root=tree.root))

    assert migrate.status(database.url(), root=tree.root).up_to_date
    assert migrate.up(database.url(), trust=trust, root=tree.root).steps == ()


def test_the_script_goes_on_from_where_the_database_is(database: Database, tree: Tree) -> None:
    migrate.up(database.url(), root=tree.root)
    tree.migration("0003_more", "create table jobplane.more (id int);")

    text = migrate.psql(database.url(), root=tree.root)
    psql(database, text)

    assert "0001_things" not in text
    assert migrate.status(database.url(), root=tree.root).up_to_date


def test_the_script_replaces_an_invalid_index(database: Database, tree: Tree) -> None:
    (tree.root / "migrations/0002_label.sql").unlink()
    migrate.up(database.url(), root=tree.root)
    tree.migration(
        "0002_label", "create index concurrently things_label on jobplane.things (label);", transactional=False
    )
    text = migrate.psql(database.url(), root=tree.root)
    with database.connect("dba") as conn:
        conn.execute("set role jobplane_root")
        conn.execute("create index things_label on jobplane.things (id)")
        conn.execute("update pg_index set indisvalid = false where indexrelid = 'jobplane.things_label'::regclass")

    psql(database, text)

    assert database.value("select indisvalid from pg_index where indexrelid = 'jobplane.things_label'::regclass")
