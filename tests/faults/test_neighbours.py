"""Ordinary jobs beside jobs that kill their process: no returned job starts again, and no job waits long to start."""

from __future__ import annotations

import time
from typing import Final
from uuid import UUID

import pytest

from tests.faults.checker import at
from tests.faults.history import History
from tests.faults.sizes import on_one, size
from tests.faults.stage import Stage

PILLS: Final = ("die", "leave")
ROUNDS: Final = size(6, 20)
TOGETHER: Final = 5  # of each kind of ordinary job in a round
PAUSE_SECONDS: Final = size(0.5, 1.0)
ATTEMPTS: Final = 2
AGAIN: Final = 3 / 400  # of the ordinary jobs


@on_one
@pytest.mark.quiet
def test_jobs_beside_crashes_start_soon_and_no_returned_job_starts_again(stage: Stage) -> None:
    stage.ready_worker(worker_concurrency="8", worker_processes="2")
    good, pills = enqueue_rounds(stage)

    stage.drain(within=120)

    history, statuses = stage.history(), stage.statuses()
    assert {statuses[str(job)] for job in good} == {"succeeded"}
    assert {statuses[str(job)] for job in pills} == {"dead_letter"}
    again, late = find_restarted(history, good), find_lateness(history, good)
    print(f"{len(again)} of {len(good)} started again after they had returned")  # noqa: T201 shown with a failure
    print(f"first start after {at(late, 99):.2f} s at p99, {late[-1]:.2f} s at worst")  # noqa: T201 the same
    assert len(again) <= max(1, AGAIN * len(good))  # one may die between its last word and its end
    assert at(late, 99) <= 5
    assert late[-1] <= 15


def enqueue_rounds(stage: Stage) -> tuple[list[UUID], list[UUID]]:
    """In each round one job that kills its process, and ordinary ones of four kinds behind it."""
    good: list[UUID] = []
    pills: list[UUID] = []
    for number in range(ROUNDS):
        pills += stage.enqueue(PILLS[number % len(PILLS)], max_attempts=ATTEMPTS)
        good += stage.enqueue("quick", TOGETHER) + stage.enqueue("brief", TOGETHER)
        good += stage.enqueue("answer", TOGETHER, word="yes") + stage.enqueue("reply", TOGETHER, word="yes")
        time.sleep(PAUSE_SECONDS)
    return good, pills


def find_restarted(history: History, jobs: list[UUID]) -> list[str]:
    """The jobs that started again after they had returned."""
    returned = {event.job: event.at for event in reversed(history.of("end")) if event.how == "done"}
    starts = history.runs()
    return [job for job in map(str, jobs) if any(each.at > returned.get(job, each.at) for each in starts[job])]


def find_lateness(history: History, jobs: list[UUID]) -> list[float]:
    """Seconds from when each job was due to its first start, in order."""
    due = {job.id: job.scheduled_for for job in history.jobs}
    starts = history.runs()
    return sorted(starts[job][0].at + history.offset - due[job] for job in map(str, jobs))
