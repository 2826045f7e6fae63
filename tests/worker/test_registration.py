from __future__ import annotations

import os
import re
import signal
import socket
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jobplane import JobStatus, __version__, opening
from jobplane.config import Config
from jobplane.core.model import Document
from jobplane.process.contact import Contact
from jobplane.store.postgres.settings import Settings
from jobplane.worker import registration
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal
from jobplane.worker.registration import Registration
from jobplane.worker.settings import WorkerSettings
from tests.client import BlockingStore, Over, PostgresWorkerStore, WorkerStore
from tests.conftest import ROLES
from tests.database import Database
from tests.worker.settings import settings
from tests.worker.stage import HASTY, KEYS, Stage, until

DOCUMENTS: dict[str, Document] = {
    "kept": {"key": "kept", "kind": "python", "queue": "kept", "max_attempts": 3},
    "lost": {"key": "lost", "kind": "python", "queue": "lost", "max_attempts": 3},
}


@pytest.fixture(params=["postgres", "sqlite"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[WorkerStore]:
    if request.param == "postgres":
        db: Database = request.getfixturevalue("db")
        logins = Settings(urls={role: db.url(role) for role in ROLES}, allow_unsafe_durability=True)
        store: WorkerStore = PostgresWorkerStore(logins)
    else:
        opened = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
        store = Over(opened.upkeep)
    yield store
    await store.close()


async def test_who_was_forgotten_brings_what_is_missing_and_changes_nothing_else(
    store: WorkerStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registration, "SEEN_SECONDS", 0)
    await store.put_queues(["kept"])
    await store.put_definitions([{**DOCUMENTS["kept"], "max_attempts": 7}])
    journal = Journal("w", ClaimRecords())
    told = settings({"kept": 1, "lost": 1, "bare": 1})
    line = Contact(journal).connection("registration")

    await Registration(line, store, journal, told, DOCUMENTS, lambda: 0).step()

    assert {queue.name for queue in await store.queues()} >= {"kept", "lost", "bare"}
    assert {known.key: known.max_attempts for known in await store.definitions()} == {"kept": 7, "lost": 3}
    [worker] = await store.workers()
    assert (worker.worker_id, worker.definitions) == ("w", ["kept", "lost"])


def test_a_workers_id_is_its_host_its_process_and_this_start_with_its_name_in_front() -> None:
    plain, again = (WorkerSettings.of(Config()).worker_id for _ in range(2))
    named = WorkerSettings.of(Config(worker_name="n" * 100)).worker_id
    start = rf"{re.escape(socket.gethostname()[:48])}:{os.getpid()}:[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}"

    assert re.fullmatch(start, plain)
    assert re.fullmatch(f"{'n' * 100}:{start}", named)
    assert plain != again
    assert len(named) <= 200


def test_a_worker_gives_definitions_without_attempts_those_of_the_settings(
    any_stage: Stage, any_store: BlockingStore
) -> None:
    any_stage.started(max_attempts_default="7")

    assert {known.max_attempts for known in any_store.definitions(["nothing"])} == {7}


def test_a_worker_says_where_it_is_what_it_does_that_it_lives_and_that_it_stops(
    any_stage: Stage, any_store: BlockingStore
) -> None:
    worker = any_stage.started("--queue", "default", worker_concurrency="3", grace_seconds="60")
    any_stage.enqueue("rest", seconds=600)
    until(lambda: [each.running_count for each in any_store.workers()] == [1])

    [seen] = any_store.workers()

    assert seen.worker_id == worker.until("worker_started")["worker_id"]
    assert (seen.hostname, seen.pid, seen.version) == (socket.gethostname(), worker.process.pid, __version__)
    assert (seen.queues, seen.definitions, seen.slots) == (["default"], KEYS, 3)
    assert seen.started_at < seen.last_seen_at
    assert (seen.live, datetime.now(UTC) - seen.last_seen_at < timedelta(seconds=30)) == (True, True)
    assert not seen.draining

    worker.process.send_signal(signal.SIGTERM)

    until(lambda: [each.draining for each in any_store.workers()] == [True], 4)


def test_a_busy_worker_outlives_the_loss_of_its_row_and_its_queue(file_stage: Stage, tmp_path: Path) -> None:
    worker = file_stage.started(worker_concurrency="1", worker_prefetch="0", lease_seconds="60", program=HASTY)
    job = file_stage.enqueue("wait", mark=str(tmp_path / "mark"))
    until(lambda: file_stage.is_running(job))

    with closing(sqlite3.connect(tmp_path / "jobs.db", timeout=30)) as conn, conn:
        conn.execute("delete from jobplane_workers")
        conn.execute("delete from jobplane_queues where name = 'orphans'")
    worker.until("registered_again")
    assert file_stage.is_running(job)
    (tmp_path / "mark").touch()

    assert [line["queue"] for line in worker.lines("queue_missing")] == ["orphans"]
    assert file_stage.ended(job).status is JobStatus.SUCCEEDED
    assert file_stage.ended(file_stage.enqueue("nothing")).status is JobStatus.SUCCEEDED
    assert worker.process.poll() is None
