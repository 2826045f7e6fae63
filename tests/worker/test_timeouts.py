"""A timeout is one: for handlers that return late, for those that never ask, and for those that cannot be stopped."""

from __future__ import annotations

from jobplane import JobStatus
from jobplane.core.model import Outcome
from tests.worker.stage import Stage, until

APP = "tests.worker.overtime"
ERROR = "Job exceeded its timeout of 1 s."


def test_a_handler_past_its_timeout_never_succeeds_and_its_neighbours_do(any_stage: Stage) -> None:
    stage = any_stage
    worker = stage.started(worker_imports=APP, grace_seconds="10")
    oversleep, spin = stage.enqueue("oversleep"), stage.enqueue("spin")

    for job in (oversleep, spin):
        ended = stage.ended(job)
        assert (ended.status, ended.reason, ended.error) == (JobStatus.DEAD_LETTER, "timeout", ERROR)
    assert worker.lines("executor_retired") == [], "both have stopped in time"

    nap = stage.enqueue("nap", seconds=4)
    until(lambda: stage.is_running(nap))
    doze = stage.enqueue("doze")
    retired = worker.until("executor_retired")
    assert stage.is_running(doze)
    after = stage.enqueue("nap", seconds=0)

    assert retired["job_ids"] == [str(doze.id)]
    assert (stage.ended(after).status, stage.ended(nap).status) == (JobStatus.SUCCEEDED, JobStatus.SUCCEEDED)
    assert stage.jp.get(nap).attempts == 1
    ended = stage.ended(doze)
    assert (ended.status, ended.reason, ended.error) == (JobStatus.DEAD_LETTER, "timeout", ERROR)
    attempts = stage.jp.attempts(doze)
    assert [(each.outcome, each.reason) for each in attempts] == [(Outcome.TIMEOUT, "stuck")] * 2


def test_handlers_that_write_all_the_time_are_interrupted_between_two_writes(any_stage: Stage) -> None:
    """In the middle of one the file would stay locked for everybody, and so would the log."""
    stage = any_stage
    worker = stage.started(worker_imports=APP, worker_processes="1", worker_concurrency="8")
    for _ in range(2):
        busy = [stage.enqueue(key) for key in ["enqueue-on"] * 7 + ["log-on"]]
        for job in busy:
            ended = stage.ended(job)
            assert (ended.status, ended.reason, ended.error) == (JobStatus.DEAD_LETTER, "timeout", ERROR)

        after = [stage.enqueue("enqueue-once") for _ in range(16)]
        assert {stage.ended(job).status for job in after} == {JobStatus.SUCCEEDED}
    assert worker.lines("executor_died") == [], "all have stopped in time"
