"""`jobplane audit verify`, as a process of its own."""

from __future__ import annotations

from pathlib import Path

from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.opening.postgres import migrations
from jobplane.store.sqlite.drivers import connect
from tests.cli.command import jobplane
from tests.client import BlockingSqliteStore
from tests.migrations.cluster import Database


def furnish(path: Path) -> str:
    """A file with two entries in the chain and one behind it."""
    with BlockingSqliteStore(path) as store:
        store.put_definitions([{"key": "d", "kind": "python"}])
        store.pause_queues(["default"], "a release")
        store.resume_queues(["default"])
        while store.chain_audit():
            pass
        [answer] = store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
        assert answer.job_id
        store.cancel(DEFAULT_TENANT, [answer.job_id])
    return f"sqlite:///{path}"


def test_an_intact_log_ends_with_0(tmp_path: Path) -> None:
    url = furnish(tmp_path / "jobs.db")

    answer = jobplane("audit", "verify", "--url", url)

    assert (answer.code, answer.err) == (0, "The audit log is intact.\n")
    assert "missing links    -\nremoved entries  -\nchanged entries  -\n" in answer.out
    assert answer.out.splitlines()[-1].startswith("not chained yet  1, the oldest of 20")


def test_a_changed_log_ends_with_1(tmp_path: Path) -> None:
    url = furnish(tmp_path / "jobs.db")
    conn = connect("apsw", tmp_path / "jobs.db")
    conn.rows("drop trigger jobplane_audit_log_same")
    conn.rows("update jobplane_audit_log set action = 'other' where audit_id = 2")
    conn.close()

    answer = jobplane("audit", "verify", JOBPLANE_DATABASE_URL=url)

    assert (answer.code, answer.err) == (1, "The audit log was changed. Compare it with a backup before you go on.\n")
    assert "changed entries  2\n" in answer.out


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    answer = jobplane("audit", "verify", "--url", f"sqlite:///{tmp_path}/none.db")

    assert answer.code == 7
    assert not list(tmp_path.iterdir())


def test_it_verifies_a_log_on_postgresql(database: Database) -> None:
    migrations.up(database.url("owner"))

    answer = jobplane("audit", "verify", "--url", database.url("admin"), JOBPLANE_ALLOW_UNSAFE_DURABILITY="true")

    assert answer.code == 0
    assert answer.err.endswith("The audit log is intact.\n")
