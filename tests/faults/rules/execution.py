"""What handlers must have seen: not early, not again without a reason, and all of it in time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from tests.faults.history import Event, History, Window

# The wall clock may be slewed while the monotonic one is not.
CLOCK_SLACK: Final = 0.05


def early(history: History) -> Iterator[str]:
    """No handler starts before its job was due by the database's clock."""
    due = {job.id: job.scheduled_for for job in history.jobs}
    for event in history.of("start"):
        ahead = due.get(event.job or "", 0.0) - (event.at + history.offset)
        if ahead > CLOCK_SLACK:
            yield f"job {event.job} started {ahead:.3f} s before it was due"


def lateness(history: History) -> list[float]:
    """How long after each job was due it started for the first time, in order."""
    due = {job.id: job.scheduled_for for job in history.jobs}
    first = {job: starts[0].at + history.offset for job, starts in history.runs().items()}
    return sorted(at - due[job] for job, at in first.items() if job in due)


def unexplained(history: History) -> Iterator[str]:
    """Who starts again has failed by itself, or was struck by a fault since it started."""
    windows = list(history.windows())
    raised = {(event.job, event.attempt) for event in history.of("end") if event.how == "raised"}
    for job, starts in history.runs().items():
        for one, other in pairwise(starts):
            if (one.job, one.attempt) not in raised and not _struck(windows, one, other):
                yield f"job {job} started again after {other.at - one.at:.2f} s, and no fault had struck it"


def _struck(windows: list[Window], one: Event, other: Event) -> bool:
    return any(w.strikes(one) and w.since <= other.at and w.until >= one.at for w in windows)


def stuck(history: History) -> Iterator[str]:
    """Everything has ended within the time that was allowed after the last fault."""
    healed = max((event.at for event in history.of("healed")), default=None)
    drained = history.of("drained")
    if healed is None:
        yield "the faults were never taken away"
    elif not drained or drained[-1].at < healed:
        yield "the jobs were never drained"
    elif drained[-1].at - healed > drained[-1].within:
        yield f"it took {drained[-1].at - healed:.1f} s to drain, {drained[-1].within:g} were allowed"
