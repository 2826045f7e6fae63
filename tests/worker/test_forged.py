"""Any login of the database may notify: a flood of notifications costs a worker little, and holds nobody up."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from tests.database import Database
from tests.worker.shared import Shared, sharing
from tests.worker.stage import Worker, until

EMPTY_A_SECOND: Final = 20
WINDOW_SECONDS: Final = 2.0
# Promised is a second; a machine under load takes its time to start anything.
PROMPT_SECONDS: Final = 2.0


@pytest.fixture(scope="module")
def shared(request: pytest.FixtureRequest) -> Generator[Shared]:
    with sharing(request) as shared:
        shared.start(log_level="debug", lease_seconds="60")
        yield shared


@contextmanager
def flooded(db: Database, payload: str) -> Generator[None]:
    """Somebody who may call no verb notifies without a pause."""
    stopping = threading.Event()

    def flood() -> None:
        while not stopping.is_set():
            conn.execute("select pg_notify('jobplane_wake', %s)", [payload])

    with db.connect("maintenance") as conn:
        thread = threading.Thread(target=flood)
        thread.start()
        try:
            yield
        finally:
            stopping.set()
            thread.join()


def each_second(lines: Sequence[Mapping[str, Any]], **facts: object) -> Counter[datetime]:
    """How many lines have these facts, by the second of the log."""
    return Counter(said_at(line).replace(microsecond=0) for line in lines if facts.items() <= line.items())


def said_at(line: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(line["timestamp"])


def is_calm(worker: Worker) -> bool:
    """Whether it has not asked for jobs for half a second."""
    return datetime.now(UTC) - said_at(worker.lines("claimed")[-1]) > timedelta(seconds=0.5)


def queue_id(db: Database) -> str:
    [(number,)] = db.connect("app").execute("select queue_id from jobplane.queues where name = 'default'").fetchall()
    return str(number)


def test_forged_wake_ups_make_a_worker_ask_twenty_times_a_second_at_most(shared: Shared) -> None:
    worker, db, stage = shared.worker, shared.db, shared.visit()
    stage.ended(stage.enqueue("nothing"))
    until(lambda: is_calm(worker))  # the looks right after a job are not what is counted
    calm = len(worker.lines("claimed"))
    with flooded(db, queue_id(db)):
        time.sleep(WINDOW_SECONDS)
        job = stage.ended(stage.enqueue("nothing"))
        time.sleep(WINDOW_SECONDS)

    asked = each_second(worker.lines("claimed")[calm:], jobs=0)
    assert max(asked.values()) <= EMPTY_A_SECOND
    assert sum(asked.values()) > WINDOW_SECONDS  # it did hear of them
    assert job.started_at is not None
    assert (job.started_at - job.created_at).total_seconds() < PROMPT_SECONDS


def test_forged_cancels_make_a_worker_renew_twice_a_second_at_most_and_a_real_one_is_heard(shared: Shared) -> None:
    worker, db, stage = shared.worker, shared.db, shared.visit()
    job = stage.enqueue("rest", seconds=600)
    until(lambda: stage.is_running(job))
    name = worker.until("worker_started")["worker_id"]
    until(lambda: worker.lines("attempt_begun", job))
    with flooded(db, f"cancel {name}"):
        time.sleep(WINDOW_SECONDS)
        renewed = len(worker.lines("renewed"))
        time.sleep(WINDOW_SECONDS)
        renewed = len(worker.lines("renewed")) - renewed
        asked_at = time.monotonic()
        stage.jp.cancel(job)
        stage.ended(job)
        heard_seconds = time.monotonic() - asked_at

    assert renewed <= 2 * WINDOW_SECONDS
    assert heard_seconds < PROMPT_SECONDS
