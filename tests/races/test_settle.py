"""One accepted outcome for each attempt, however often and from wherever it is settled."""

from __future__ import annotations

from tests.clock import Clock
from tests.races.hands import Lease, Settled, Worker
from tests.races.stage import Stage
from tests.races.waiting import at_once


def test_the_same_settle_in_flight_is_busy_and_then_gets_the_same_answer(stage: Stage) -> None:
    stage.app().enqueue()
    first, second = stage.worker(in_transaction=True), stage.worker(never_waits=True)
    leases = second.claim()
    answer = first.settle(leases)

    assert second.settle(leases) == [Settled(leases[0].seq, 1, None, "busy")]
    first.commit()

    assert second.settle(leases) == answer == [Settled(leases[0].seq, 1, True, "succeeded")]


def test_another_outcome_is_refused_and_changes_nothing(stage: Stage) -> None:
    job = stage.app().enqueue().job_id
    worker = stage.worker()
    leases = worker.claim()
    worker.settle(leases)

    assert worker.settle(leases, "failed") == [Settled(leases[0].seq, 1, False, "stale")]
    assert stage.status(job) == "succeeded"


def test_two_outcomes_at_once_have_one_winner(stage: Stage) -> None:
    one, other = stage.worker(), stage.worker()
    stage.app().enqueue_many(200)
    leases = one.claim(200)

    both = at_once([lambda: _insist(one, leases, "succeeded"), lambda: _insist(other, leases[::-1], "fatal")])

    won = [{s.seq for s in answers if s.accepted} for answers in both]
    assert won[0] | won[1] == {lease.seq for lease in leases}
    assert not won[0] & won[1]
    assert stage.endings() == {k: v for k, v in (("succeeded", len(won[0])), ("failed", len(won[1]))) if v}


def test_a_success_after_the_reaper_is_refused(stage: Stage, clock: Clock) -> None:
    job = stage.app().enqueue().job_id
    worker, reaper = stage.worker(), stage.worker()
    leases = worker.claim()
    clock.advance(31)
    assert reaper.call("reap") == 1

    assert worker.settle(leases) == [Settled(leases[0].seq, 1, False, "stale")]
    assert stage.status(job) == "upcoming"


def test_a_success_while_the_reaper_commits_is_busy_and_then_refused(stage: Stage, clock: Clock) -> None:
    stage.app().enqueue()
    worker, reaper = stage.worker(never_waits=True), stage.worker(in_transaction=True)
    leases = worker.claim()
    clock.advance(31)
    assert reaper.call("reap") == 1

    assert worker.settle(leases)[0].accepted is None
    assert worker.renew(leases) == {leases[0].seq: "busy"}
    reaper.commit()

    assert worker.settle(leases)[0].accepted is False
    assert worker.renew(leases) == {leases[0].seq: "gone"}


def test_the_reaper_leaves_alone_what_is_renewed_or_settled_just_now(stage: Stage, clock: Clock) -> None:
    stage.app().enqueue_many(2)
    worker, reaper = stage.worker(in_transaction=True), stage.worker(never_waits=True)
    leases = worker.claim(2)
    worker.commit()
    clock.advance(31)
    worker.renew(leases[:1])
    worker.settle(leases[1:])

    assert reaper.call("reap") == 0
    worker.commit()

    assert reaper.call("reap") == 0
    assert stage.count("leases") == 1
    assert stage.endings() == {"succeeded": 1}


def test_the_fence_is_the_job_the_attempt_and_the_token(stage: Stage, clock: Clock) -> None:
    job = stage.app().enqueue().job_id
    worker = stage.worker()
    [first] = worker.claim()
    worker.settle([first], "released")
    worker.call("promote")
    [second] = worker.claim()

    assert (second.job_id, second.attempt_no) == (job, 2)
    for forged in (first, first._replace(attempt_no=2), second._replace(attempt_no=1)):
        assert worker.renew([forged]) == {first.seq: "gone"}
        assert worker.settle([forged])[0].accepted is False
    assert stage.status(job) == "leases"


def _insist(worker: Worker, leases: list[Lease], outcome: str) -> list[Settled]:
    """Settle in small batches, and again what was busy, until each has its answer."""
    answers: list[Settled] = []
    for start in range(0, len(leases), 8):
        left = leases[start : start + 8]
        while left:
            settled = worker.settle(left, outcome)
            answers += [s for s in settled if s.accepted is not None]
            busy = {s.seq for s in settled if s.accepted is None}
            left = [lease for lease in left if lease.seq in busy]
    return answers
