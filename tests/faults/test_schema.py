"""A worker on a database whose schema is not its own: it says what to do, and leaves at once."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from jobplane.store.postgres import source
from tests.cli.command import Answer, jobplane
from tests.client import BlockingSqliteStore
from tests.conformance.backend import SqliteAudit
from tests.database import Cluster, Database

OUT_OF_DATE: Final = 5
_NEWER: Final = """
insert into jobplane.migrations (number, name, checksum, oldest_program) values (9999, '9999_later.sql', '', 9999)
"""


def _worker(url: str) -> Answer:
    return jobplane(
        "worker",
        *("--import", "tests.worker.app", "--processes", "1", "--url", url),
        JOBPLANE_ALLOW_UNSAFE_DURABILITY="true",
    )


def _says(answer: Answer, *words: str) -> None:
    last = answer.err.splitlines()[-1]
    assert answer.code == OUT_OF_DATE, answer.err
    assert last.startswith("jobplane: schema_out_of_date: "), answer.err
    assert all(word in last for word in words), last


def test_without_a_schema_it_says_how_to_make_one(cluster: Cluster) -> None:
    with cluster.fresh("template1") as empty:
        _says(_worker(empty.url("worker")), "Run `jobplane migrate up`")


def test_on_an_older_schema_it_says_how_to_move_on(db: Database) -> None:
    newest = source.load().number
    db.own(f"delete from jobplane.migrations where number = {newest}")

    _says(_worker(db.url("worker")), f"this program needs {newest}", "Run `jobplane migrate up`")


def test_on_a_schema_that_is_too_new_it_asks_for_a_newer_program(db: Database) -> None:
    db.own(_NEWER)

    _says(_worker(db.url("worker")), "9999", "Install a newer jobplane")


def test_on_a_file_that_is_too_new_it_asks_for_a_newer_program(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    with BlockingSqliteStore(path) as store:
        store.put_queues(["default"])
    SqliteAudit(path).peek("insert into jobplane_migrations values (9999, '9999_later.sql', 0)")

    _says(_worker(f"sqlite:///{path}"), "9999", "Use a newer jobplane")
