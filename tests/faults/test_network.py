"""What a proxy does to a worker's connections: frozen, cut, and answers that come leases too late."""

from __future__ import annotations

from typing import Final

from tests.faults.load import Load
from tests.faults.proxy import Proxy
from tests.faults.sizes import in_full, on_postgres, size
from tests.faults.stage import Stage
from tests.faults.waiting import pause, until
from tests.faults.workers import LEASE_SECONDS

FROZEN_ROUNDS: Final = size(1, 5)
RESUME_SECONDS: Final = 20.0


@on_postgres
def test_frozen_connections_are_given_up(stage: Stage, proxy: Proxy) -> None:
    worker = stage.ready_worker()

    with Load(stage, "nap", seconds=0.1):
        for number in range(FROZEN_ROUNDS):
            until(stage.leases, 10, "a lease")
            stage.recorder.note("broken", name=f"frozen {number}")
            assert proxy.freeze() >= 3
            fresh = stage.enqueue("quick", 5)
            until(lambda fresh=fresh: stage.started(fresh) == 5, RESUME_SECONDS, "work on new connections")
            stage.recorder.note("mended", name=f"frozen {number}")
    stage.drain(within=40)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}


@in_full
@on_postgres
def test_connections_that_are_cut_cost_no_attempt(stage: Stage, proxy: Proxy) -> None:
    stage.ready_worker()

    with Load(stage, "nap", seconds=0.1):
        stage.recorder.note("broken", name="cut")
        for _ in range(100):
            proxy.cut()
            pause(stage.dice.uniform(0.05, 0.6))
        stage.recorder.note("mended", name="cut")
    stage.drain(within=40)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} <= {"succeeded", "released"}


def _claims(answer: bytes) -> bool:
    """Whether an answer hands out a job of ours, in text or in binary form."""
    return b"nap" in answer or b"nap".hex().encode() in answer


@on_postgres
def test_nothing_starts_on_a_claim_that_is_answered_two_leases_late(stage: Stage, proxy: Proxy) -> None:
    """The answer is kept back, the supervisor stopped meanwhile: when it wakes up, the answer is there and stale."""
    worker = stage.ready_worker()
    proxy.delay_answer(_claims, 1.0)
    jobs = stage.enqueue("nap", 8, max_attempts=1, seconds=0.1)
    until(lambda: proxy.delayed, 10, "the claim's answer at the proxy")

    worker.freeze()
    pause(2 * LEASE_SECONDS)
    assert stage.started(jobs) == 0
    worker.thaw()
    stage.drain(within=40)

    assert set(stage.statuses().values()) == {"succeeded"}
    first = [attempt for attempt in stage.attempts() if attempt.attempt_no == 1]
    assert {attempt.outcome for attempt in first} == {"released"}
    assert stage.recorder.count("start") == len(jobs)


@in_full
@on_postgres
def test_a_claim_whose_answer_never_comes_costs_no_attempt(stage: Stage, proxy: Proxy) -> None:
    stage.ready_worker()
    proxy.delay_answer(_claims, 2 * LEASE_SECONDS)
    jobs = stage.enqueue("nap", 8, max_attempts=1, seconds=0.1)
    stage.drain(within=40)

    assert proxy.delayed == 1
    assert set(stage.statuses().values()) == {"succeeded"}
    assert stage.recorder.count("start") == len(jobs)
