"""Where each outcome leads, and who may say it. How long until the next attempt: test_settle_backoff.py."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast
from uuid import uuid4

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import Json, Outcome
from tests.client import Store, WorkerStore
from tests.clock import Clock
from tests.conformance.factory import Factory, ended
from tests.leases import Held

# outcome: with budget left, with the budget spent; a job whose cancel was requested ends canceled, save by success
LEADS_TO = {
    Outcome.SUCCEEDED: ("succeeded", "succeeded"),
    Outcome.FAILED: ("queued", "dead_letter"),
    Outcome.FATAL: ("failed", "failed"),
    Outcome.TIMEOUT: ("queued", "dead_letter"),
    Outcome.CANCELED: ("canceled", "canceled"),
    Outcome.LOST: ("queued", "dead_letter"),
    Outcome.RELEASED: ("queued", "queued"),
}
ATTEMPT_STATUS = {outcome: "failed" if outcome is Outcome.FATAL else outcome.value for outcome in Outcome}


@pytest.mark.parametrize("outcome", list(Outcome))
async def test_where_an_outcome_leads(store: Store, make: Factory, clock: Clock, outcome: Outcome) -> None:
    """With budget left, with the budget spent, and both again with a cancel requested."""
    for cancel in (False, True):
        for spent in (False, True):
            lease = await make.lease(max_attempts=1 if spent else 2)
            if cancel:
                await store.cancel(make.alice, [lease.job_id])
            clock.advance(1)

            answer = await make.settle(lease, outcome)

            canceled = cancel and outcome is not Outcome.SUCCEEDED
            status = "canceled" if canceled else LEADS_TO[outcome][spent]
            job = await make.get(lease.job_id)
            [attempt] = await store.attempts(make.alice, lease.job_id)
            assert (answer.accepted, answer.status, job.status) == (True, status, status)
            assert (attempt.status, attempt.outcome, attempt.led_to) == (ATTEMPT_STATUS[outcome], outcome, status)
            assert attempt.finished_at == clock.now()
            assert job.finished_at == (None if status == "queued" else clock.now())
            assert (job.lease_expires_at, job.cancel_requested_at) == (None, None)
            await store.cancel(make.alice, [lease.job_id])


async def test_an_attempt_tells_how_it_ended(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.settle(
        [ended(lease, Outcome.FAILED, reason="exit", error="boom\nagain", exit_code=3, retry_after=9, progress=0.5)]
    )

    [attempt] = await store.attempts(make.alice, lease.job_id)

    assert (attempt.reason, attempt.error, attempt.exit_code, attempt.progress) == ("exit", "boom\nagain", 3, 0.5)
    assert (await make.get(lease.job_id)).error == "boom\nagain"


async def test_why_a_job_ended_is_on_the_job(store: Store, make: Factory) -> None:
    endings = {
        "failed": ended(await make.lease(max_attempts=1), Outcome.FAILED),
        "timeout": ended(await make.lease(max_attempts=1), Outcome.TIMEOUT),
        "lost": ended(await make.lease(max_attempts=1), Outcome.LOST),
        "worker_crash": ended(await make.lease(max_attempts=1), Outcome.LOST, reason="worker_crash"),
        "invalid_payload": ended(await make.lease(), Outcome.FATAL, reason="invalid_payload"),
        None: ended(await make.lease(), Outcome.SUCCEEDED, reason="does not matter"),
    }
    await store.settle(list(endings.values()))

    jobs = [await make.get(cast("Held", ending.lease).job_id) for ending in endings.values()]

    assert [job.reason for job in jobs] == list(endings)


async def test_what_an_error_said_stays_when_the_budget_is_spent(make: Factory) -> None:
    lease = await make.lease(max_attempts=1)
    await make.settle(lease, Outcome.FAILED, error="no such file")

    job = await make.get(lease.job_id)

    assert (job.status, job.error, job.attempts) == ("dead_letter", "no such file", 1)


async def test_a_success_clears_the_error_of_the_attempt_before(make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    await make.settle(lease, Outcome.FAILED, error="boom")
    clock.advance(5)
    await make.settle(await make.again(), Outcome.SUCCEEDED)

    assert (await make.get(lease.job_id)).error is None


async def test_a_new_attempt_starts_without_the_progress_of_the_last(make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    await make.settle(lease, Outcome.FAILED, progress=0.9)
    clock.advance(5)
    await make.again()

    assert (await make.get(lease.job_id)).progress is None


async def test_attempts_count_up_to_the_budget(store: Store, make: Factory, clock: Clock) -> None:
    job_id = await make.job(max_attempts=3)
    seen: list[tuple[int, int, str]] = []
    for _ in range(3):
        lease = await make.again()
        answer = await make.settle(lease, Outcome.FAILED)
        seen.append((lease.attempt_no, lease.attempts_left, answer.status))
        clock.advance(300)

    assert seen == [(1, 2, "queued"), (2, 1, "queued"), (3, 0, "dead_letter")]
    job = await make.get(job_id)
    assert (job.attempts, job.attempt_no) == (3, 3)
    assert [attempt.attempt_no for attempt in await store.attempts(make.alice, job_id)] == [3, 2, 1]


RESULTS: list[Json] = [{"files": 12}, [1, "ä", None], "text", 0, 1.5, False, "", [], {}]


async def test_any_json_can_be_the_result(store: Store, make: Factory) -> None:
    await make.jobs(len(RESULTS))
    leases = await make.claim(len(RESULTS))

    await store.settle([ended(lease, result=result) for lease, result in zip(leases, RESULTS, strict=True)])

    for lease, result in zip(leases, RESULTS, strict=True):
        found = await store.result(make.alice, lease.job_id)
        assert (found, type(found)) == (result, type(result))


async def test_only_a_success_has_a_result(store: Store, make: Factory) -> None:
    for outcome in (Outcome.FATAL, Outcome.CANCELED, Outcome.FAILED):
        lease = await make.lease()
        await make.settle(lease, outcome, result={"half": "done"})

        assert await store.result(make.alice, lease.job_id) is None


async def test_the_same_outcome_again_gets_the_same_answer_and_another_is_refused(make: Factory) -> None:
    for outcome in Outcome:
        lease = await make.lease()
        first = await make.settle(lease, outcome, error="once")
        before = await make.get(lease.job_id)

        answers = {other: await make.settle(lease, other, error="twice") for other in Outcome}

        refused = first._replace(accepted=False, status="stale")
        assert answers == {**dict.fromkeys(Outcome, refused), outcome: first}
        assert await make.get(lease.job_id) == before


async def test_an_outcome_that_comes_after_the_reaper_is_refused(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    clock.advance(31)
    await store.reap()

    for outcome in Outcome:
        late = await make.settle(lease, outcome, reason="late")

        assert (late.accepted, late.status) == (False, "stale")
    assert (await make.get(lease.job_id)).status == "queued"


async def test_an_outcome_after_the_leases_end_but_before_the_reaper_counts(make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    clock.advance(3600)

    assert (await make.settle(lease, Outcome.SUCCEEDED)).status == "succeeded"


async def test_a_stale_lease_cannot_settle(store: Store, make: Factory, clock: Clock) -> None:
    await make.jobs(7)
    stale = await make.claim(7)
    clock.advance(31)
    await store.reap()
    clock.advance(1)
    await store.promote()
    assert len(await make.claim(7, worker="w2")) == 7

    settled = await store.settle([ended(lease) for lease in stale])

    assert [answer.accepted for answer in settled] == [False] * 7
    assert (await store.summary(make.alice)).running == 7


async def test_a_forged_lease_changes_nothing(store: Store, make: Factory) -> None:
    lease = await make.lease()
    forged = [
        lease._replace(token=uuid4()),
        lease._replace(attempt_no=2),
        lease._replace(seq=lease.seq + 1000),
    ]

    answers = await store.settle([ended(other) for other in forged])

    assert [(answer.accepted, answer.status) for answer in answers] == [(False, "stale")] * 3
    assert (await make.get(lease.job_id)).status == "running"


async def test_each_settlement_of_a_batch_is_answered(store: Store, make: Factory, clock: Clock) -> None:
    """Also where an old attempt and the present one of the same job are in it."""
    old = await make.lease()
    clock.advance(31)
    await store.reap()
    clock.advance(1)
    now = await make.again()
    other = await make.lease()

    answers = await store.settle([ended(old), ended(now), ended(other, Outcome.FATAL)])

    assert {(answer.seq, answer.attempt_no): answer.accepted for answer in answers} == {
        (old.seq, 1): False,
        (now.seq, 2): True,
        (other.seq, 1): True,
    }


async def test_a_suspect_runs_alone_from_then_on_and_pays_nothing(make: Factory, clock: Clock) -> None:
    lease = await make.lease(max_attempts=2)
    await make.settle(lease, Outcome.RELEASED, reason="suspect")
    second = await make.again()
    await make.settle(second, Outcome.LOST, reason="worker_crash")
    clock.advance(1)
    third = await make.again()

    assert (second.alone, second.attempts_left) == (True, 1)
    assert (third.alone, third.attempts_left) == (True, 0)


async def test_a_job_that_was_stuck_in_its_timeout_pays_and_runs_alone_from_then_on(
    store: Store, make: Factory, clock: Clock
) -> None:
    lease = await make.lease(max_attempts=2)
    await make.settle(lease, Outcome.TIMEOUT, reason="stuck")
    clock.advance(60)
    second = await make.again()
    await make.settle(second, Outcome.TIMEOUT, reason="stuck")

    job = await make.get(lease.job_id)
    assert (second.alone, second.attempts_left) == (True, 0)
    assert (job.status, job.reason) == ("dead_letter", "timeout")
    assert [each.reason for each in await store.attempts(make.alice, lease.job_id)] == ["stuck", "stuck"]


async def test_a_neighbour_that_only_waited_is_no_suspect(make: Factory) -> None:
    lease = await make.lease()
    await make.settle(lease, Outcome.RELEASED, reason="unstarted")

    assert not (await make.again()).alone


async def test_no_settlements_no_answers(store: Store, make: Factory) -> None:
    assert await store.settle([]) == []


async def test_a_wait_that_cannot_be_is_refused_and_nothing_is_half_written(store: Store, make: Factory) -> None:
    await make.jobs(2)
    good, bad = await make.claim(2)

    for wait in (-1.0, float("nan"), float("inf"), 31_536_001.0):
        with pytest.raises(Invalid):
            await store.settle([ended(good), ended(bad, Outcome.FAILED, retry_after=wait)])

    assert (await store.summary(make.alice)).running == 2


async def test_setbacks_are_answered_with_where_they_led(store: Store, make: Factory, clock: Clock) -> None:
    good, later, last, stale = [await make.lease(max_attempts=2) for _ in range(3)] + [await make.lease()]
    await store.settle([ended(stale, Outcome.SUCCEEDED)])
    endings = [
        ended(good, Outcome.SUCCEEDED),
        ended(later, Outcome.FAILED, retry_after=90),
        ended(last, Outcome.FATAL),
        ended(stale, Outcome.FAILED),
    ]

    answers = await store.settle(endings, exceptions_only=True, setbacks=True)
    again = await store.settle(endings, exceptions_only=True, setbacks=True)

    told = {answer.seq: answer[2:] for answer in answers}
    assert told == {
        later.seq: (True, "queued", clock.now() + timedelta(seconds=90)),
        last.seq: (True, "failed", None),
        stale.seq: (False, "stale", None),
    }
    assert {answer.seq: answer[2:] for answer in again} == told


async def test_a_repeated_setback_says_when_the_job_starts_until_it_has_started(
    store: Store, worker_store: WorkerStore, make: Factory, clock: Clock
) -> None:
    lease = await make.lease(max_attempts=3)
    starts_at = clock.now() + timedelta(seconds=90)

    async def settle() -> datetime | None:
        [answer] = await store.settle([ended(lease, Outcome.FAILED, retry_after=90)], setbacks=True)
        assert (answer.accepted, answer.status) == (True, "queued")
        return answer.next_at

    assert [await settle(), await settle()] == [starts_at, starts_at]
    clock.advance(91)
    await worker_store.promote()
    assert await settle() == starts_at
    assert (await worker_store.claim_encoded("default", "w1", limit=1, lease_seconds=30)).leases
    assert await settle() is None
