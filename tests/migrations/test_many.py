import pytest

from jobplane.store.postgres import migrate
from tests.migrations.cluster import Database
from tests.migrations.processes import finished, kill, migrator, until, until_asleep
from tests.migrations.tree import CLOCK, TABLE, Tree

ALL = ["schema", "0001_things.sql", "0002_label.sql", "functions and policies"]

CONNECTED = """
select count(distinct pid) from pg_stat_activity
where datname = current_database() and application_name = 'migrator'
"""


def test_five_migrators_at_once_do_each_step_once(database: Database, tree: Tree) -> None:
    tree.migration("0001_things", f"{TABLE} select pg_advisory_xact_lock(1);")
    with database.connect() as gate:
        gate.execute("select pg_advisory_lock(1)")
        migrators = [migrator(database, tree.root) for _ in range(5)]
        until(lambda: database.value(CONNECTED) == 5)
    done = [step for each in migrators for step in finished(each)]

    assert sorted(done) == sorted(ALL)
    assert database.values("select number from jobplane.migrations order by 1") == [1, 2]
    assert migrate.status(database.url(), root=tree.root).up_to_date


@pytest.mark.parametrize("where", ["migration", "code"])
def test_a_killed_migrator_leaves_nothing_and_the_next_one_goes_on(database: Database, tree: Tree, where: str) -> None:
    sleep = "select pg_sleep(600);"
    if where == "migration":
        tree.migration("0001_things", f"{TABLE} {sleep}")
    else:
        tree.write("functions/now_here.sql", f"{CLOCK} {sleep}")
    victim = migrator(database, tree.root)
    until_asleep(database)
    kill(victim)
    tree.migration("0001_things", TABLE) if where == "migration" else tree.write("functions/now_here.sql", CLOCK)

    report = migrate.up(database.url(), root=tree.root)

    assert list(report.steps) == (ALL[1:] if where == "migration" else ALL[3:])
    assert migrate.status(database.url(), root=tree.root).up_to_date


def test_an_older_migrator_that_lost_the_race_does_not_undo_a_newer_one(database: Database, tree: Tree) -> None:
    tree.migration("0001_things", f"{TABLE} select pg_sleep(1);")
    older = migrator(database, tree.root)
    until_asleep(database)
    tree.migration("0003_more", "create table jobplane.more (id int);")
    newer = migrator(database, tree.root)

    finished(older)
    finished(newer)

    assert migrate.status(database.url(), root=tree.root).up_to_date
