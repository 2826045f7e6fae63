"""A cancel that meets another move of the same job is never lost."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from functools import partial
from uuid import UUID

from tests.races.hands import App
from tests.races.stage import Stage
from tests.races.waiting import at_once

JOBS = 300


def test_a_cancel_while_a_claim_commits_is_a_request(stage: Stage) -> None:
    app, claimer = stage.app(), stage.worker(in_transaction=True)
    job = app.enqueue().job_id
    leases = claimer.claim()
    cancel = stage.later(app, lambda: app.cancel(job))
    assert cancel.waits()

    claimer.commit()

    assert cancel.answer() == "requested"
    assert claimer.renew(leases) == {leases[0].seq: "cancel"}
    assert [s.status for s in claimer.settle(leases, "failed")] == ["canceled"]
    claimer.commit()
    assert stage.status(job) == "canceled"


def test_a_cancel_while_the_attempt_is_requeued_ends_the_job(stage: Stage) -> None:
    app, worker = stage.app(), stage.worker(in_transaction=True)
    job = app.enqueue().job_id
    leases = worker.claim()
    worker.commit()
    worker.settle(leases, "failed")
    cancel = stage.later(app, lambda: app.cancel(job))
    assert cancel.waits()

    worker.commit()

    assert cancel.answer() == "canceled"
    assert stage.status(job) == "canceled"


def test_a_cancel_while_the_job_is_promoted_ends_the_job(stage: Stage) -> None:
    app, upkeep = stage.app(), stage.worker(in_transaction=True)
    job = app.enqueue(delay_seconds=0.001).job_id
    while not upkeep.call("promote"):
        upkeep.commit()
    cancel = stage.later(app, lambda: app.cancel(job))
    assert cancel.waits()

    upkeep.commit()

    assert cancel.answer() == "canceled"
    assert stage.status(job) == "canceled"


def test_a_cancel_while_the_attempt_succeeds_finds_it_ended(stage: Stage) -> None:
    app, worker = stage.app(), stage.worker(in_transaction=True)
    job = app.enqueue().job_id
    leases = worker.claim()
    worker.commit()
    worker.settle(leases)
    cancel = stage.later(app, lambda: app.cancel(job))
    assert cancel.waits()

    worker.commit()

    assert cancel.answer() == "ended"
    assert stage.status(job) == "succeeded"


def test_a_cancel_that_rolls_back_leaves_the_job_to_the_next_claim(stage: Stage) -> None:
    app, worker = stage.app(in_transaction=True), stage.worker()
    job = app.enqueue().job_id
    app.commit()
    assert app.cancel(job) == "canceled"
    assert worker.claim() == []

    app.rollback()

    assert [lease.job_id for lease in worker.claim()] == [job]


def test_a_cancel_at_a_random_time_ends_the_job_once_as_it_answered(stage: Stage) -> None:
    stage.hasten(100)
    app = stage.app()
    jobs = [app.enqueue(max_attempts=9).job_id for _ in range(JOBS)]
    done = threading.Event()

    def cancel(mine: list[UUID], chance: random.Random) -> list[tuple[UUID, str]]:
        hand, answers = stage.app(), list[tuple[UUID, str]]()
        for job in mine:
            time.sleep(chance.random() * 0.02)
            answers.append((job, hand.cancel(job)))
        return answers

    def cancel_all() -> dict[UUID, str]:
        chance = random.Random(1)
        shuffled = chance.sample(jobs, JOBS)
        answers = at_once([lambda i=i: cancel(shuffled[i::3], random.Random(i)) for i in range(3)])
        done.set()
        return dict(pair for each in answers for pair in each)

    runs = [lambda i=i: _work(stage, done, random.Random(i)) for i in range(4)]
    answered, *_ = at_once([cancel_all, *runs])

    _drain(stage)
    ended = dict(stage.probe.run("select id, status::text from jobplane.jobs join jobplane.endings using (seq)"))
    assert len(ended) == JOBS
    pairs = Counter((answered[job], ended[job]) for job in jobs)
    assert not {pair for pair in pairs if pair[0] == "canceled" and pair[1] != "canceled"}, pairs
    assert not {pair for pair in pairs if pair[0] == "requested" and pair[1] not in {"canceled", "succeeded"}}, pairs
    assert {answer for answer, _ in pairs} >= {"canceled", "requested", "ended"}, pairs


def _work(stage: Stage, done: threading.Event, chance: random.Random) -> dict[UUID, str]:
    """Claim, fail, vanish, succeed, reap and promote until everybody has canceled."""
    worker = stage.worker()
    while not done.is_set():
        leases = worker.claim(chance.choice([1, 5, 20]), lease_seconds=5)
        time.sleep(chance.random() * 0.02)
        if chance.random() < 0.8:
            worker.settle(
                leases, [chance.choice(["succeeded", "failed", "failed", "failed", "released"]) for _ in leases]
            )
        worker.call("reap")
        worker.call("promote")
    return {}


def _drain(stage: Stage) -> None:
    """What still waits succeeds, what still runs is lost and comes back, until nothing is left."""
    worker = stage.worker()
    while stage.count("endings") < JOBS:
        worker.call("reap")
        worker.call("promote")
        worker.settle(worker.claim(100, lease_seconds=5))


def test_many_cancels_of_one_job_agree(stage: Stage) -> None:
    apps: list[App] = [stage.app() for _ in range(8)]
    for _ in range(20):
        job = apps[0].enqueue().job_id
        answers = Counter(at_once([partial(app.cancel, job) for app in apps]))
        assert answers == {"canceled": 1, "ended": 7}
