from __future__ import annotations

from uuid import uuid4

from jobplane.core.model import JobStatus, Moved, Outcome
from tests.client import Store
from tests.clock import Clock
from tests.conformance.factory import WAITS, Factory


async def test_a_waiting_job_is_canceled_at_once(store: Store, make: Factory, clock: Clock) -> None:
    for state in WAITS:
        job_id = await make.in_state(state)
        clock.advance(1)

        [moved] = await store.cancel(make.alice, [job_id], reason="not needed")

        job = await make.get(job_id)
        assert moved == Moved(job_id, "canceled", JobStatus.CANCELED)
        assert (job.status, job.reason, job.finished_at, job.held_by) == ("canceled", "not needed", clock.now(), None)
        assert await store.attempts(make.alice, job_id) == []


async def test_a_canceled_job_never_runs(store: Store, make: Factory, clock: Clock) -> None:
    ids = [await make.job(), await make.job(delay_seconds=1)]
    await store.cancel(make.alice, ids)
    clock.advance(60)
    await store.promote()

    assert await make.claim(10) == []


async def test_a_running_job_is_asked_to_stop(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()

    [moved] = await store.cancel(make.alice, [lease.job_id], reason="too slow")

    job = await make.get(lease.job_id)
    assert moved == Moved(lease.job_id, "requested", JobStatus.RUNNING)
    assert (job.status, job.cancel_requested_at, job.cancel_reason) == ("running", clock.now(), "too slow")


async def test_the_first_request_to_stop_counts(store: Store, make: Factory, clock: Clock) -> None:
    lease = await make.lease()
    await store.cancel(make.alice, [lease.job_id], reason="first")
    first = await make.get(lease.job_id)
    clock.advance(1)

    [moved] = await store.cancel(make.alice, [lease.job_id], reason="second")

    assert moved.outcome == "requested"
    assert await make.get(lease.job_id) == first


async def test_a_job_that_was_asked_to_stop_ends_canceled_for_the_reason_given(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.cancel(make.alice, [lease.job_id], reason="too slow")

    await make.settle(lease, Outcome.FAILED, reason="stopped", error="interrupted")

    job = await make.get(lease.job_id)
    assert (job.status, job.reason, job.error) == ("canceled", "too slow", "interrupted")


async def test_a_job_that_was_asked_to_stop_may_still_succeed(store: Store, make: Factory) -> None:
    lease = await make.lease()
    await store.cancel(make.alice, [lease.job_id])

    assert (await make.settle(lease, Outcome.SUCCEEDED, result=1)).status == "succeeded"
    assert await store.result(make.alice, lease.job_id) == 1


async def test_many_are_canceled_in_one_call_with_an_answer_for_each(store: Store, make: Factory) -> None:
    over = await make.over("succeeded")
    runs = (await make.lease()).job_id
    waits = await make.job()
    nobody = uuid4()

    answers = await store.cancel(make.alice, [waits, runs, over, nobody, waits])

    assert [(moved.job_id, moved.outcome, moved.status) for moved in answers] == [
        (waits, "canceled", "canceled"),
        (runs, "requested", "running"),
        (over, "ended", "succeeded"),
        (nobody, "not_found", None),
        (waits, "ended", "canceled"),
    ]


async def test_a_canceled_job_gives_its_dedupe_key_back(store: Store, make: Factory) -> None:
    first = await make.job(dedupe_key="k")
    await store.cancel(make.alice, [first])

    assert await make.job(dedupe_key="k") != first


async def test_no_ids_no_answers(store: Store, make: Factory) -> None:
    assert await store.cancel(make.alice, []) == []


async def test_any_reason_can_be_kept(store: Store, make: Factory) -> None:
    for reason in ("", "nul\x00", "\ud800", "ä" * 100_000):
        job_id = await make.job()

        [moved] = await store.cancel(make.alice, [job_id], reason=reason)

        assert moved.outcome == "canceled"
        assert (await make.get(job_id)).reason is not None


async def test_charlie_cannot_cancel_alices_job(store: Store, make: Factory) -> None:
    waits = await make.job(delay_seconds=60)
    runs = (await make.lease()).job_id
    before = await store.get_jobs(make.alice, [waits, runs])

    answers = await store.cancel(make.charlie, [waits, runs])

    assert [(moved.outcome, moved.status) for moved in answers] == [("not_found", None)] * 2
    assert await store.get_jobs(make.alice, [waits, runs]) == before
