"""What becomes of a job in a worker that runs, and what is heard of it meanwhile."""

from __future__ import annotations

from collections.abc import Generator
from itertools import product

import pytest

from jobplane import JobStatus
from tests.worker.shared import Shared, sharing
from tests.worker.stage import Stage, Worker, until

OF_THE_ATTEMPT = ("attempt_claimed", "attempt_begun", "attempt_succeeded")
OF_THE_WORKER = ("claimed", "renewed", "settled", "logs_stored", "upkeep")
on_postgres = pytest.mark.parametrize("shared", ["postgres"], indirect=True)


@pytest.fixture(scope="module", params=["postgres", "sqlite"])
def shared(request: pytest.FixtureRequest) -> Generator[Shared]:
    with sharing(request) as shared:
        shared.start(log_level="debug")
        yield shared


@pytest.fixture
def worker(shared: Shared) -> Worker:
    return shared.worker


@pytest.fixture
def stage(shared: Shared) -> Stage:
    return shared.visit()


@pytest.mark.parametrize(
    ("key", "event", "level"), [("nothing", "attempt_succeeded", "info"), ("fail", "attempt_failed", "warning")]
)
def test_at_debug_every_end_has_a_line_with_all_that_is_known_of_the_attempt(
    shared: Shared, stage: Stage, worker: Worker, key: str, event: str, level: str
) -> None:
    job = stage.enqueue(key)

    line = worker.until(event, job=job)
    known = {
        "level": level,
        "tenant_id": str(job.tenant_id),
        "tenant": shared.slug_of(job.tenant_id),
        "definition_key": key,
        "attempt_no": 1,
        "worker_id": worker.until("worker_started")["worker_id"],
        "trace_id": job.id.hex,
    }
    assert line.items() >= known.items()
    assert 0 <= line["duration_ms"] <= line["held_ms"] < 60_000


def test_at_debug_each_step_of_an_attempt_and_of_the_worker_has_a_line(stage: Stage, worker: Worker) -> None:
    before = {event: len(worker.lines(event)) for event in OF_THE_WORKER}
    later = stage.jp.enqueue("talk", {"seconds": 3}, delay=0.1)
    stage.ended(later)
    worker.until("attempt_succeeded", job=later)

    lines = [line for event in OF_THE_ATTEMPT for line in worker.lines(event, later)]
    assert [line["event"] for line in lines] == [*OF_THE_ATTEMPT]
    assert [line["level"] for line in lines] == ["debug", "debug", "info"]
    assert "promote" in {line["chore"] for line in worker.lines("upkeep")[before["upkeep"] :]}
    until(lambda: all(len(worker.lines(event)) > count for event, count in before.items()))


def test_every_line_about_an_attempt_names_it_in_full(shared: Shared, stage: Stage, worker: Worker) -> None:
    good = stage.jp.enqueue("talk", {"seconds": 2}, correlation_id="request-7")
    bad = stage.jp.enqueue("fail", {}, correlation_id="request-7")
    stopped = stage.jp.enqueue("rest", {"seconds": 600}, correlation_id="request-7")
    until(lambda: stage.jp.get(stopped).progress == 0.5)
    stage.jp.cancel(stopped)
    for job, event in {good: "attempt_succeeded", bad: "attempt_failed", stopped: "attempt_canceled"}.items():
        worker.until(event, job=job)

    lines = [line for job in (good, bad, stopped) for line in worker.about(job)]
    steps = {"attempt_claimed", "attempt_begun", "attempt_succeeded", "attempt_failed", "cancel_requested"}
    assert {line.get("event") for line in lines} >= {*steps, "attempt_canceled", None}, "None: the handler's own"
    known = {
        "tenant_id": str(good.tenant_id),
        "attempt_no": 1,
        "worker_id": worker.until("worker_started")["worker_id"],
        "correlation_id": "request-7",
    }
    assert [line for line in lines if not (line.items() >= known.items() and line["definition_key"])] == []
    slug = shared.slug_of(good.tenant_id)
    assert {line.get("tenant") for line in lines} == {slug}


def test_the_last_word_on_how_far_a_job_is_is_kept(stage: Stage) -> None:
    ended = stage.ended(stage.enqueue("rest", seconds=0))

    assert (ended.progress, ended.progress_message) == (1, "half way")


@on_postgres
def test_progress_and_a_cancel_travel_while_the_job_runs(stage: Stage, worker: Worker) -> None:
    job = stage.enqueue("rest", seconds=600)
    until(lambda: stage.jp.get(job).progress == 0.5)

    stage.jp.cancel(job, reason="enough")

    assert stage.ended(job).status is JobStatus.CANCELED
    assert stage.jp.get(job).progress_message == "half way"
    assert worker.lines("cancel_requested", job)


@on_postgres
def test_a_def_handler_sees_that_it_is_canceled(stage: Stage) -> None:
    job = stage.enqueue("look-up")
    until(lambda: stage.jp.get(job).progress == 0.5)

    stage.jp.cancel(job)

    assert stage.ended(job).result == "seen"


@on_postgres
def test_whoever_silences_the_wake_ups_of_a_queue_delays_its_jobs_by_a_poll(
    shared: Shared, stage: Stage, worker: Worker
) -> None:
    stage.ended(stage.enqueue("nothing"))
    with shared.db.connect("stranger") as stranger:
        for place, (queue,) in product((74000, 74001), shared.db.peek("select queue_id from jobplane.queues")):
            stranger.execute("select pg_advisory_lock(%s, %s)", [place, queue])

        jobs = [stage.ended(stage.enqueue("nothing")) for _ in range(3)]

    waits = [(job.first_started_at or job.created_at) - job.created_at for job in jobs]
    assert max(wait.total_seconds() for wait in waits) < 5, "the poll is one second; the rest is for a slow machine"
    assert not worker.lines("line_stalled")
