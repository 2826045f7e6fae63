import psycopg
import pytest

from jobplane.store.postgres import migrate
from jobplane.store.postgres.refusals import MigrationFailed
from tests.migrations.cluster import Database
from tests.migrations.processes import finished, kill, migrator, until, until_blocked
from tests.migrations.tree import Tree

UNIQUE = "create unique index concurrently things_label on jobplane.things (label);"
TWINS = "insert into jobplane.things select n, gen_random_uuid(), 'same' from generate_series(1, 2) n"
VALID = "select indisvalid from pg_index where indexrelid = to_regclass('jobplane.things_label')"


@pytest.fixture
def half_way(database: Database, tree: Tree) -> Database:
    """The table is there, the index is still to come."""
    late = (tree.root / "migrations/0002_label.sql").read_text()
    (tree.root / "migrations/0002_label.sql").unlink()
    migrate.up(database.url(), root=tree.root)
    tree.write("migrations/0002_label.sql", late)
    return database


def test_an_invalid_index_is_dropped_and_built_again(half_way: Database, tree: Tree) -> None:
    with half_way.connect() as conn:
        conn.execute(TWINS)
        with pytest.raises(psycopg.errors.UniqueViolation):
            conn.execute(UNIQUE)
    assert migrate.status(half_way.url(), root=tree.root).invalid_indexes == ["things_label"]

    migrate.up(half_way.url(), root=tree.root)

    assert half_way.values(VALID) == [True]
    assert migrate.status(half_way.url(), root=tree.root).up_to_date


def test_a_build_that_fails_leaves_no_index_behind(half_way: Database, tree: Tree) -> None:
    tree.migration("0002_label", UNIQUE, transactional=False)
    with half_way.connect() as conn:
        conn.execute(TWINS)

    with pytest.raises(MigrationFailed, match=r"0002_label\.sql: could not create unique index"):
        migrate.up(half_way.url(), root=tree.root)

    assert half_way.values(VALID) == []
    assert half_way.values("select number from jobplane.migrations") == [1]


def test_an_index_that_is_there_but_not_on_record_is_kept(half_way: Database, tree: Tree) -> None:
    with half_way.connect() as conn:
        conn.execute("create index things_label on jobplane.things (label)")
    before = half_way.value("select 'jobplane.things_label'::regclass::oid")

    migrate.up(half_way.url(), root=tree.root)

    assert half_way.value("select 'jobplane.things_label'::regclass::oid") == before


def test_a_build_waits_for_a_long_transaction_and_others_wait_for_the_build(half_way: Database, tree: Tree) -> None:
    with half_way.connect() as reader, reader.transaction():
        reader.execute("lock table jobplane.things in row exclusive mode")
        migrators = [migrator(half_way, tree.root) for _ in range(3)]
        until_blocked(half_way, "create index concurrently")

    done = [step for each in migrators for step in finished(each)]

    assert done == ["0002_label.sql"]
    assert half_way.values(VALID) == [True]


def test_after_a_kill_the_orphaned_build_is_awaited_and_kept(half_way: Database, tree: Tree) -> None:
    with half_way.connect() as reader, reader.transaction():
        reader.execute("lock table jobplane.things in row exclusive mode")
        victim = migrator(half_way, tree.root)
        until_blocked(half_way, "create index concurrently")
        kill(victim)
        orphan = half_way.value("select 'jobplane.things_label'::regclass::oid")
        successor = migrator(half_way, tree.root)
        until(lambda: half_way.value("select count(*) > 1 from pg_stat_activity where query ilike '%pg_locks%'"))

    assert finished(successor) == ["0002_label.sql"]
    assert half_way.value("select 'jobplane.things_label'::regclass::oid") == orphan
    assert half_way.values(VALID) == [True]
