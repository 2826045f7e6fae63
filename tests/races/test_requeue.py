"""A job holds its dedupe key for its whole active life: nothing that brings it back can collide with a twin."""

from __future__ import annotations

import threading
from functools import partial
from uuid import UUID

import pytest

from tests.clock import Clock
from tests.races.hands import App
from tests.races.stage import Stage
from tests.races.waiting import at_once

JOBS = 100


def _twins(app: App, keys: list[str], stop: threading.Event) -> set[tuple[str, UUID, str]]:
    answers: set[tuple[str, UUID, str]] = set()
    while not stop.is_set():
        for key in keys:
            answer = app.enqueue(dedupe_key=key)
            answers.add((key, answer.job_id, answer.outcome))
    return answers


@pytest.mark.parametrize("end", ["reap", "fail", "release"])
def test_a_batch_that_comes_back_meets_no_twin(stage: Stage, clock: Clock, end: str) -> None:
    app, worker, stop = stage.app(), stage.worker(), threading.Event()
    keys = [f"k{n}" for n in range(JOBS)]
    jobs = {(key, app.enqueue(dedupe_key=key).job_id, "existing") for key in keys}

    def come_back() -> set[tuple[str, UUID, str]]:
        try:
            for _ in range(2):
                leases = worker.claim(JOBS)
                clock.advance(31)
                if end == "reap":
                    assert worker.call("reap") == JOBS
                else:
                    outcome = {"fail": "failed", "release": "released"}[end]
                    assert [s.status for s in worker.settle(leases, outcome)] == ["queued"] * JOBS
                clock.advance(1)
                assert worker.call("promote") == JOBS
            return set()
        finally:
            stop.set()

    hands = [stage.app() for _ in range(3)]
    _, *answers = at_once([come_back, *(partial(_twins, hand, keys, stop) for hand in hands)])

    assert set[tuple[str, UUID, str]]().union(*answers) == jobs
    assert (stage.count("jobs"), stage.count("ready"), stage.count("dedupe")) == (JOBS, JOBS, JOBS)


def test_a_retry_whose_key_is_taken_is_a_duplicate_and_changes_nothing(stage: Stage) -> None:
    app, worker = stage.app(), stage.worker()
    dead = app.enqueue(dedupe_key="k", max_attempts=1).job_id
    worker.settle(worker.claim(), "failed")
    active = app.enqueue(dedupe_key="k").job_id

    assert app.retry(dead) == "duplicate_job"

    assert stage.status(dead) == "dead_letter"
    assert stage.status(active) == "ready"
    worker.settle(worker.claim())
    assert app.retry(dead) == "queued"


@pytest.mark.parametrize(("ends", "answer"), [("commit", "duplicate_job"), ("rollback", "queued")])
def test_a_retry_waits_for_an_enqueue_of_its_key_in_flight(stage: Stage, ends: str, answer: str) -> None:
    app, other, worker = stage.app(), stage.app(in_transaction=True), stage.worker()
    dead = app.enqueue(dedupe_key="k", max_attempts=1).job_id
    worker.settle(worker.claim(), "failed")
    other.enqueue(dedupe_key="k")
    retry = stage.later(app, partial(app.retry, dead))
    assert retry.waits()

    getattr(other, ends)()

    assert retry.answer() == answer
    assert stage.status(dead) == ("dead_letter" if ends == "commit" else "upcoming")


def test_many_retries_of_one_job_bring_it_back_once(stage: Stage) -> None:
    apps, worker = [stage.app() for _ in range(6)], stage.worker()
    for _ in range(10):
        dead = apps[0].enqueue(max_attempts=1).job_id
        worker.settle(worker.claim(), "fatal")

        answers = at_once([partial(app.retry, dead) for app in apps])

        assert sorted(answers) == ["illegal_move"] * 5 + ["queued"]
        worker.call("promote")
        worker.settle(worker.claim())


def test_retries_and_enqueues_of_one_key_leave_one_active_job(stage: Stage) -> None:
    apps, worker = [stage.app() for _ in range(4)], stage.worker()
    for number in range(15):
        key = f"k{number}"
        dead = [apps[0].enqueue(dedupe_key=key, max_attempts=1).job_id]
        worker.settle(worker.claim(), "failed")
        dead.append(apps[0].enqueue(dedupe_key=key, max_attempts=1).job_id)
        worker.settle(worker.claim(), "failed")

        moves = [partial(apps[n].retry, dead[n]) for n in range(2)]
        news = [lambda app=app, key=key: app.enqueue(dedupe_key=key).outcome for app in apps[2:]]
        answers = at_once([*moves, *news])

        assert answers.count("queued") + answers.count("created") == 1, answers
        worker.call("promote")
        worker.settle(worker.claim(10))
