"""What the attempts on record must look like: one lease at a time, fenced, bounded, along the published moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from jobplane.core.lifecycle import ENDED
from jobplane.core.model import JobStatus, Outcome
from tests.faults.history import Event, History, StoredAttempt, StoredLine

MAX_INTERRUPTIONS: Final = 20
# Of a released attempt: somebody else ended it, so the job pays with one of its interruptions.
INTERRUPTED: Final = frozenset({"shutdown", "lease_expired"})
# How long a stopped handler may be seen beside its successor: the time that a kill takes on a busy machine.
OVERLAP_SECONDS: Final = 1.0
# A wall clock may be set back by so much between two lines.
BACK_SECONDS: Final = 0.05
_AGAIN: Final = frozenset({JobStatus.QUEUED, JobStatus.DEAD_LETTER, JobStatus.CANCELED})
LEADS: Final[dict[str, frozenset[JobStatus]]] = {
    Outcome.SUCCEEDED: frozenset({JobStatus.SUCCEEDED}),
    Outcome.FAILED: _AGAIN,
    Outcome.TIMEOUT: _AGAIN,
    Outcome.LOST: _AGAIN,
    Outcome.RELEASED: _AGAIN,
    Outcome.FATAL: frozenset({JobStatus.FAILED, JobStatus.CANCELED}),
    Outcome.CANCELED: frozenset({JobStatus.CANCELED}),
}


def double_lease(history: History) -> Iterator[str]:
    """Attempts of a job follow each other, by the database's clock and by what its handlers said."""
    for job, tries in history.tries().items():
        numbers = [attempt.attempt_no for attempt in tries]
        if numbers != list(range(1, len(numbers) + 1)):
            yield f"job {job} has the attempts {numbers}"
        for one, other in pairwise(tries):
            if other.started_at < one.finished_at:
                yield f"attempt {other.attempt_no} of job {job} began before the one before it had ended"
    yield from _overlaps(history)


def _overlaps(history: History) -> Iterator[str]:
    lasting = {job.id for job in history.jobs if job.lasting}
    seen = {(event.job, event.attempt, event.run): event.at for event in history.of("start", "effect", "end")}
    for job, starts in history.runs().items():
        for one, other in pairwise(starts):
            both = seen[one.job, one.attempt, one.run] - other.at
            if one.attempt == other.attempt:
                yield f"attempt {one.attempt} of job {job} started twice"
            elif both > OVERLAP_SECONDS and job not in lasting:
                yield f"two handlers of job {job} ran side by side for {both:.2f} s"


def unfenced(history: History) -> Iterator[str]:
    """An accepted outcome and a log line are those of the attempt that held the lease then."""
    done = {(event.job, event.attempt): event.at for event in history.of("end") if event.how == "done"}
    for job, tries in history.tries().items():
        if len({attempt.token for attempt in tries}) < len(tries):
            yield f"two attempts of job {job} have the same token"
        for attempt in tries:
            if attempt.outcome == Outcome.SUCCEEDED and (job, attempt.attempt_no) not in done:
                yield f"attempt {attempt.attempt_no} of job {job} succeeded, and its handler never said so"
    for line in history.lines:
        if line.dropped is None and line.message != f"attempt {line.attempt_no} of {line.job}":
            yield f"line {line.line} under attempt {line.attempt_no} of job {line.job} says: {line.message}"
    for (job, number), lines in history.logs().items():
        yield from (f"attempt {number} of job {job}: {fault}" for fault in _disorder(lines))


def _disorder(lines: Sequence[StoredLine]) -> Iterator[str]:
    """Numbers from 1 on, in the order of writing; a mark stands for as many as it says, with one of their numbers."""
    if lines[0].line != 1:
        yield f"its log begins with line {lines[0].line}"
    for one, other in pairwise(lines):
        if other.line - one.line > max(1, one.dropped or 0):
            yield f"line {other.line} follows line {one.line}, and no mark says what was lost"
        if other.at < one.at - BACK_SECONDS and other.dropped is None:
            yield f"line {other.line} was written before line {one.line}"


def loop(history: History) -> Iterator[str]:
    """Between two retries by a person a job spends its budget at most, and is interrupted so often at most.

    With a budget of one it starts once, and again only where its handler asked to be called later.
    """
    budgets = {job.id: job.max_attempts for job in history.jobs}
    for job, epochs in _epochs(history):
        for tries in epochs:
            paid = sum(attempt.outcome != Outcome.RELEASED for attempt in tries)
            interrupted = sum(
                attempt.outcome == Outcome.RELEASED and attempt.reason in INTERRUPTED for attempt in tries
            )
            if paid > budgets.get(job, 0):
                yield f"job {job} spent {paid} attempts of {budgets.get(job, 0)}"
            if interrupted > MAX_INTERRUPTIONS + 1:
                yield f"job {job} was interrupted {interrupted} times"
    yield from _second_starts(history)


def _second_starts(history: History) -> Iterator[str]:
    once = {job.id for job in history.jobs if job.max_attempts == 1}
    asked = Counter(event.job for event in history.of("retried"))
    asked.update(attempt.job for attempt in history.attempts if attempt.reason == "snooze")
    for job, starts in history.runs().items():
        if job in once and len(starts) > 1 + asked[job]:
            yield f"job {job} may start once, and started {len(starts)} times"


def _epochs(history: History) -> Iterator[tuple[str, list[list[StoredAttempt]]]]:
    retried = history.of("retried")
    for job, tries in history.tries().items():
        retries = [event.at + history.offset for event in retried if event.job == job]
        by_epoch: dict[int, list[StoredAttempt]] = {}
        for attempt in tries:
            by_epoch.setdefault(sum(at <= attempt.started_at for at in retries), []).append(attempt)
        yield job, list(by_epoch.values())


def resurrection(history: History) -> Iterator[str]:
    """After an end there is no attempt and no handler unless a person asked for it."""
    retries, runs = history.of("retried"), history.runs()
    for job, tries in history.tries().items():
        starts = [(event.attempt, event.at) for event in runs.get(job, [])]
        starts += [(attempt.attempt_no, attempt.started_at - history.offset) for attempt in tries]
        for end in tries:
            for number, at in starts:
                if end.led_to in ENDED and number > end.attempt_no and not _asked(history, retries, end, at):
                    yield f"attempt {number} of job {job} came after it was {end.led_to}"


def _asked(history: History, retries: Sequence[Event], end: StoredAttempt, at: float) -> bool:
    ended_at = end.finished_at - history.offset
    return any(event.job == end.job and ended_at <= event.at <= at for event in retries)


def corrupt(history: History) -> Iterator[str]:
    """Only published moves, and each job in one state's table."""
    yield from history.broken_rules
    for attempt in history.attempts:
        if attempt.led_to not in LEADS[attempt.outcome]:
            yield f"attempt {attempt.attempt_no} of job {attempt.job} was {attempt.outcome} and led to {attempt.led_to}"
    retried = {event.job for event in history.of("retried")}
    last = {attempt.job: attempt for attempt in sorted(history.attempts, key=lambda attempt: attempt.attempt_no)}
    for job in history.jobs:
        led_to = last[job.id].led_to if job.id in last else JobStatus.QUEUED
        waited = led_to == JobStatus.QUEUED and job.status in (JobStatus.RUNNING, JobStatus.CANCELED)
        if job.status != led_to and not waited and job.id not in retried:
            yield f"job {job.id} is {job.status}, and its last attempt led to {led_to}"
    owners = Counter((attempt.job, attempt.attempt_no) for attempt in history.attempts)
    yield from (f"attempt {number} of job {job} ended {n} times" for (job, number), n in owners.items() if n > 1)
