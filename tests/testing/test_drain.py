"""A drain runs what is due and says how it ended; time and chance are the test's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from jobplane import JobHandle, JobStatus
from jobplane.testing import JobsFailed, Sandbox
from tests.testing import shop


def test_handlers_and_what_they_enqueue_are_run(jobs: Sandbox) -> None:
    shop.take_order.enqueue(order=1)

    drained = jobs.drain()

    assert drained.outcomes == {"succeeded": 3}
    assert {job.definition_key for job in drained.jobs} == {"take-order", "send-receipt", "book"}


async def test_the_same_on_an_event_loop(jobs: Sandbox) -> None:
    await shop.take_order.enqueue_async(order=1)

    drained = await jobs.drain_async()

    assert drained.outcomes == {"succeeded": 3}


def test_one_queue_alone(jobs: Sandbox) -> None:
    shop.take_order.enqueue(order=1)

    assert jobs.drain("default").outcomes == {"succeeded": 1}
    jobs.assert_enqueued(shop.send_receipt)
    assert jobs.drain("mail").outcomes == {"succeeded": 1}


def test_a_failure_is_raised_with_what_the_handler_said(jobs: Sandbox) -> None:
    shop.take_order.enqueue(order=-1)
    shop.send_receipt.enqueue(order=1)

    with pytest.raises(JobsFailed, match=r"(?s)take-order .*, attempt 1: fatal.*no such order") as failure:
        jobs.drain()

    assert failure.value.drained.outcomes == {"fatal": 1, "succeeded": 1}


def test_a_failure_may_be_what_the_test_wants(jobs: Sandbox) -> None:
    job = shop.take_order.enqueue(order=-1)

    jobs.drain(raise_failed=False)

    assert shop.jp.get(job).status is JobStatus.FAILED


def test_what_is_not_due_waits_until_the_clock_is_moved(jobs: Sandbox) -> None:
    clock = jobs.freeze()
    shop.send_receipt.options(delay=timedelta(hours=1)).enqueue(order=1)

    clock.advance(3599)
    assert jobs.drain().outcomes == {}
    clock.advance(timedelta(seconds=1))
    assert jobs.drain().outcomes == {"succeeded": 1}


def test_later_goes_through_every_retry(jobs: Sandbox) -> None:
    clock = jobs.freeze(datetime(2026, 5, 1, tzinfo=UTC))
    clock.load_dice(0)
    job = shop.send_receipt.enqueue(order=1, to="nobody")

    drained = jobs.drain(later=True, raise_failed=False)

    assert [(one.attempt_no, one.outcome) for one in drained.attempts] == [(1, "failed"), (2, "failed"), (3, "failed")]
    assert shop.jp.get(job).status is JobStatus.DEAD_LETTER
    assert clock.now() == datetime(2026, 5, 1, 0, 0, 15, tzinfo=UTC)  # 5 s, then 10


def test_the_next_drain_says_what_it_ran_itself(jobs: Sandbox) -> None:
    clock = jobs.freeze()
    shop.send_receipt.enqueue(order=1, to="nobody")
    jobs.drain(raise_failed=False)
    clock.advance(60)

    assert [one.attempt_no for one in jobs.drain(raise_failed=False).attempts] == [2]


def test_a_time_without_a_zone_is_refused(jobplane_sqlite: Sandbox) -> None:
    with pytest.raises(ValueError, match="time zone"):
        jobplane_sqlite.freeze(datetime(2026, 1, 1))  # noqa: DTZ001 that is the fault


def test_another_process_finds_the_database_by_its_environment(jobs: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.send_receipt.enqueue(order=1)
    for name, value in jobs.environment.items():
        monkeypatch.setenv(name, value)

    with type(shop.jp)() as plane:
        assert [job.payload for job in plane.list()] == [{"order": 1}]


def test_a_job_that_cannot_be_decoded_fails_alone_and_is_told(
    jobs: Sandbox, spoil: Callable[[JobHandle], None]
) -> None:
    good, bad = shop.send_receipt.enqueue(order=1), shop.send_receipt.enqueue(order=2)
    spoil(bad)

    assert jobs.enqueued(shop.send_receipt) == [shop.jp.get(good)]
    with pytest.raises(AssertionError, match="payload cannot be decoded"):
        jobs.assert_enqueued(shop.send_receipt, {"order": 2}, delay=0, tags=["t"])
    drained = jobs.drain(raise_failed=False, later=True)

    assert [(one.outcome, one.reason) for one in drained.bad] == [("fatal", "invalid_payload")]
    assert [job.status for job in drained.jobs] == [JobStatus.SUCCEEDED, JobStatus.FAILED]
