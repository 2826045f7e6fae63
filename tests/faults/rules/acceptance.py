"""What an enqueue promises: nothing lost, nothing invented, nothing twice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise

from jobplane.core.lifecycle import ENDED
from tests.faults.history import History, StoredJob


def lost(history: History) -> Iterator[str]:
    """What was acknowledged is there, and has ended."""
    stored = {job.id: job.status for job in history.jobs}
    for event in history.of("ok"):
        status = stored.get(event.job or "")
        if status is None:
            yield f"job {event.job} was acknowledged and is nowhere"
        elif status not in ENDED:
            yield f"job {event.job} is still {status}"


def phantom(history: History) -> Iterator[str]:
    """Each job comes from one enqueue that was not refused. Of those of a schedule another rule knows."""
    refused = {event.mark for event in history.of("fail")}
    asked = {event.mark for event in history.of("invoke")} - refused
    copies = Counter(job.mark for job in history.jobs)
    for job in history.jobs:
        if job.trigger is not None:
            continue
        if job.mark not in asked:
            yield f"nobody enqueued job {job.id}"
        elif copies[job.mark] > 1:
            yield f"job {job.id} is one of {copies[job.mark]} for one enqueue"
    known = {job.id for job in history.jobs}
    yield from (f"job {job} ran and is nowhere" for job in history.runs() if job not in known)


def duplicate(history: History) -> Iterator[str]:
    """One active job for a dedupe key, and whoever asks meanwhile gets its id.

    An enqueue that waits for the end of another job has been created before that end; what counts is its answer.
    """
    answers = history.of("ok")
    answered_at = {event.job: event.at + history.offset for event in reversed(answers)}
    for key, jobs in _by_key(history).items():
        for one, other in pairwise(jobs):
            if one.finished_at is None or answered_at.get(other.id, one.finished_at) < one.finished_at:
                yield f"jobs {one.id} and {other.id} were both active with the key {key}"
        ids = {job.id for job in jobs}
        strangers = [event.job for event in answers if event.name == key and event.job not in ids]
        yield from (
            f"an enqueue with the key {key} was answered with {job}, which does not have it" for job in strangers
        )


def _by_key(history: History) -> dict[str, list[StoredJob]]:
    found: dict[str, list[StoredJob]] = defaultdict(list)
    for job in sorted(history.jobs, key=lambda job: job.created_at):
        if job.dedupe_key:
            found[job.dedupe_key].append(job)
    return found
