"""Cancels at any moment: one end for each job, and no handler that goes on after it was told."""

from __future__ import annotations

import time
from typing import Final
from uuid import UUID

import pytest

from tests.faults.checker import at
from tests.faults.places import ALICE
from tests.faults.sizes import on_both, on_other, size, slow
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.faults.workers import LEASE_SECONDS, is_alive

JOBS: Final = 1000
SPREAD_SECONDS: Final = 6.0  # over which they are canceled
SLOTS: Final = 16
PARENTS: Final = size(1, 8)
DELIVERY_SECONDS: Final = LEASE_SECONDS / 3 + 1


@pytest.mark.quiet
@slow
@on_both
def test_a_cancel_at_any_moment_leads_to_one_end(stage: Stage) -> None:
    """Two of five may run for a second alone, and two of five are in a thread, where they ask whether to go on."""
    stage.ready_worker(worker_concurrency=str(SLOTS))
    jobs = [job for _ in range(JOBS // 10) for job in _enqueue_ten(stage)]
    until(lambda: stage.started() >= SLOTS, PATIENCE, "a full worker")
    canceled_at: dict[UUID, float] = {}
    for job in stage.dice.sample(jobs, len(jobs)):
        pause(stage.dice.uniform(0, 2 * SPREAD_SECONDS / JOBS))
        stage.place.store.cancel(ALICE, [job])
        canceled_at[job] = time.monotonic()
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"canceled", "dead_letter", "succeeded"}
    assert {attempt.outcome for attempt in stage.begun()} == {"canceled", "timeout", "succeeded"}
    stopped = {UUID(event.job): event.at for event in stage.recorder.having("end", how="stopped") if event.job}
    told = [UUID(attempt.job) for attempt in stage.attempts("canceled")]
    assert at(sorted(stopped[job] - canceled_at[job] for job in told if job in stopped), 99) <= DELIVERY_SECONDS


def _enqueue_ten(stage: Stage) -> list[UUID]:
    seconds = stage.dice.uniform(0, 3)
    return [
        *stage.enqueue("nap", 4, max_attempts=1, seconds=seconds),
        *stage.enqueue("nap", 2, max_attempts=1, seconds=seconds, timeout_seconds=1),
        *stage.enqueue("dig", 2, max_attempts=1, seconds=seconds),
        *stage.enqueue("dig", 2, max_attempts=1, seconds=seconds, timeout_seconds=1),
    ]


@on_other
def test_what_a_canceled_handler_started_is_gone_with_it(stage: Stage) -> None:
    """Its process is killed with all of its own before the job is canceled."""
    stage.ready_worker()
    jobs = stage.enqueue("parent", PARENTS, seconds=600)
    alive: dict[str, list[int]] = {}
    for job in jobs:
        until(lambda job=job: stage.recorder.having("child", job=str(job)), PATIENCE, "its child")
        stage.place.store.cancel(ALICE, [job])
        until(lambda job=job: stage.statuses()[str(job)] == "canceled", PATIENCE, "its end")
        alive[str(job)] = [
            child.pid for child in stage.recorder.having("child", job=str(job)) if child.pid and is_alive(child.pid)
        ]
    stage.drain(within=60)

    assert alive == {str(job): [] for job in jobs}
