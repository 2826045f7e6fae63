"""The life of a job: every legal move, and where each outcome of an attempt leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, assert_never

from jobplane.core.model import Backoff, JobStatus, Outcome
from jobplane.core.retry import delay_seconds

S = JobStatus

# move: (from, to); the diagram in the docs is made from this
MOVES: Final[dict[str, tuple[frozenset[JobStatus], JobStatus]]] = {
    "claim": (frozenset({S.QUEUED}), S.RUNNING),
    "succeed": (frozenset({S.RUNNING}), S.SUCCEEDED),
    "requeue": (frozenset({S.RUNNING}), S.QUEUED),  # failed, timed out or lost, with budget left
    "release": (frozenset({S.RUNNING}), S.QUEUED),  # shutdown, snooze, a neighbour's crash: not the job's fault
    "fail": (frozenset({S.RUNNING}), S.FAILED),
    "bury": (frozenset({S.RUNNING}), S.DEAD_LETTER),
    "cancel": (frozenset({S.QUEUED, S.RUNNING}), S.CANCELED),
    "retry": (frozenset({S.FAILED, S.DEAD_LETTER, S.CANCELED}), S.QUEUED),  # a person's decision
}
# Releases that are counted, so that a loop of deploys or of dying workers ends some day; the reaper's is for a lease
# whose handler was not known to have begun.
INTERRUPTIONS: Final = frozenset({"shutdown", "lease_expired"})
# Releases of an attempt that may have started. `max_attempts = 1` means at most one start, so each of them buries such
# a job; it waits again only after `unstarted` and `snooze`.
MAYBE_STARTED: Final = INTERRUPTIONS | {"suspect", "neighbour", "lost_contact"}
ENDED: Final = frozenset({S.SUCCEEDED, S.FAILED, S.DEAD_LETTER, S.CANCELED})


@dataclass(frozen=True, slots=True)
class Leased:
    """What a decision knows of a running job; `attempts_left` is what remains after this attempt was counted."""

    attempts_left: int
    max_attempts: int
    interruptions: int
    cancel_requested: bool
    cancel_reason: str | None
    backoff: Backoff
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """Where an attempt led: the job's status and its new budget; a queued one waits for `delay_seconds`."""

    status: JobStatus
    attempts_left: int
    interruptions: int
    delay_seconds: float | None = None
    reason: str | None = None
    alone: bool = False


def decide(
    job: Leased,
    outcome: Outcome,
    *,
    reason: str | None = None,
    retry_after: float | None = None,
    dice: float = 0.0,
    max_interruptions: int = 20,
) -> Decision:
    """Where this outcome leads. Pure: no clock, no dice, no I/O."""
    match outcome:
        case Outcome.SUCCEEDED:
            return _end(job, S.SUCCEEDED, None)
        case Outcome.CANCELED:
            return _cancel(job, reason)
        case _ if job.cancel_requested:
            return _cancel(job, reason)
        case Outcome.RELEASED:
            return _release(job, reason, retry_after, max_interruptions)
        case Outcome.FATAL:
            return _end(job, S.FAILED, reason)
        case Outcome.FAILED | Outcome.TIMEOUT | Outcome.LOST if job.attempts_left <= 0:
            return _end(job, S.DEAD_LETTER, _reason_of(outcome, reason))
        case Outcome.LOST:
            return _requeue(job, outcome, reason, dice if retry_after is None else retry_after)
        case Outcome.FAILED | Outcome.TIMEOUT:
            spent = job.max_attempts - job.attempts_left
            backoff = delay_seconds(job.backoff, spent, dice)
            return _requeue(job, outcome, reason, backoff if retry_after is None else retry_after)
        case _:
            assert_never(outcome)


def _end(job: Leased, status: JobStatus, reason: str | None) -> Decision:
    return Decision(status, job.attempts_left, job.interruptions, reason=reason, alone=job.alone)


def _reason_of(outcome: Outcome, reason: str | None) -> str:
    """Why a job without attempts left is a dead letter. After any timeout this is `timeout`."""
    return outcome.value if reason is None or outcome is Outcome.TIMEOUT else reason


def _cancel(job: Leased, reason: str | None) -> Decision:
    return _end(job, S.CANCELED, reason if job.cancel_reason is None else job.cancel_reason)


def _release(job: Leased, reason: str | None, retry_after: float | None, max_interruptions: int) -> Decision:
    """Refund the attempt, unless the job was interrupted too often or may not start again."""
    if reason in INTERRUPTIONS and job.interruptions >= max_interruptions:
        return _end(job, S.DEAD_LETTER, "interrupted")
    if reason in MAYBE_STARTED and job.max_attempts == 1:
        return _end(job, S.DEAD_LETTER, reason)
    counted = job.interruptions + (reason in INTERRUPTIONS)
    alone = _must_run_alone(job, Outcome.RELEASED, reason)
    return Decision(S.QUEUED, job.attempts_left + 1, counted, retry_after or 0.0, alone=alone)


def _requeue(job: Leased, outcome: Outcome, reason: str | None, delay: float) -> Decision:
    alone = _must_run_alone(job, outcome, reason)
    return Decision(S.QUEUED, job.attempts_left, job.interruptions, delay, alone=alone)


def _must_run_alone(job: Leased, outcome: Outcome, reason: str | None) -> bool:
    """Whether the job runs in a process of its own from now on.

    It does after it may have crashed an executor, and after an executor was killed because its handler did not stop at
    its timeout.
    """
    return job.alone or reason == "suspect" or (outcome is Outcome.TIMEOUT and reason == "stuck")
