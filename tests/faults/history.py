"""What a fault test knows at its end: what was recorded outside the database, and what the database holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Literal

# invoke, ok, fail, info: an enqueue, where info is an answer that never came. start, effect, end: a handler.
# child: a process that a handler started. broken, mended: a fault and its end. retried: a person's retry.
# healed, drained: no fault any more, no job left.
Kind = Literal[
    "invoke",
    "ok",
    "fail",
    "info",
    "start",
    "effect",
    "end",
    "child",
    "broken",
    "mended",
    "retried",
    "healed",
    "drained",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One line of the record; `at` is the machine's monotonic clock, the same in all of its processes."""

    at: float
    kind: Kind
    mark: int | None = None  # which enqueue; the payload carries it
    job: str | None = None
    attempt: int = 0
    pid: int | None = None  # the process that ran the handler, or that a fault struck
    boss: int | None = None  # the supervisor of that process, or the one that a fault struck with all its own
    run: int = 0  # one call of a handler
    name: str = ""  # of a fault, a dedupe key
    how: str = ""  # an end: done, raised or stopped
    within: float = 0.0  # drained: the seconds that were allowed


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredJob:
    """A job in the final read; instants are seconds since 1970 by the database's clock."""

    id: str
    mark: int | None
    status: str
    max_attempts: int
    created_at: float
    scheduled_for: float
    finished_at: float | None = None
    dedupe_key: str | None = None
    lasting: bool = False  # goes on when contact is lost, so two of its handlers may overlap
    trigger: str | None = None
    planned_at: float | None = None  # the time of the trigger that it was made for


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAttempt:
    job: str
    attempt_no: int
    token: str
    outcome: str
    led_to: str
    started_at: float
    finished_at: float
    reason: str | None = None
    worker: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFire:
    """What became of a planned time."""

    trigger: str
    planned_at: float
    outcome: str
    job: str | None = None


@dataclass(frozen=True, slots=True)
class StoredLine:
    """A log line; handlers of these tests write their own attempt into each."""

    job: str
    attempt_no: int
    line: int
    message: str
    at: float = 0.0  # seconds since 1970
    dropped: int | None = None  # a mark: so many lines are missing here


@dataclass(frozen=True, slots=True)
class Window:
    """When a fault was on, and whom it struck: one process, one worker with all its own, or everybody."""

    name: str
    since: float
    until: float
    pid: int | None
    boss: int | None

    def strikes(self, event: Event) -> bool:
        everybody = self.pid is None and self.boss is None
        return everybody or self.pid == event.pid is not None or self.boss == event.boss is not None


@dataclass(kw_only=True)
class History:
    """The whole record. `offset` is what the wall clock is ahead of the monotonic one."""

    events: list[Event]
    jobs: list[StoredJob]
    attempts: list[StoredAttempt]
    lines: list[StoredLine] = field(default_factory=list[StoredLine])
    fires: list[StoredFire] = field(default_factory=list[StoredFire])
    triggers: set[str] = field(default_factory=set[str])  # that have not been deleted
    broken_rules: list[str] = field(default_factory=list[str])  # what the audit of the tables found
    offset: float = 0.0

    def of(self, *kinds: Kind) -> list[Event]:
        """The events of these kinds in the order of time."""
        return sorted((event for event in self.events if event.kind in kinds), key=lambda event: event.at)

    def runs(self) -> dict[str, list[Event]]:
        """The starts of each job in the order of time."""
        starts: dict[str, list[Event]] = defaultdict(list)
        for event in self.of("start"):
            starts[event.job or ""].append(event)
        return starts

    def tries(self) -> dict[str, list[StoredAttempt]]:
        """The attempts of each job by their number."""
        found: dict[str, list[StoredAttempt]] = defaultdict(list)
        for attempt in sorted(self.attempts, key=lambda attempt: attempt.attempt_no):
            found[attempt.job].append(attempt)
        return found

    def logs(self) -> dict[tuple[str, int], list[StoredLine]]:
        """The lines of each attempt by their number."""
        found: dict[tuple[str, int], list[StoredLine]] = defaultdict(list)
        for line in sorted(self.lines, key=lambda line: line.line):
            found[line.job, line.attempt_no].append(line)
        return found

    def windows(self) -> Iterator[Window]:
        """Faults; one that nobody mends is over with the blow, but for a process that is dying: it never comes back."""
        mended = self.of("mended")
        for event in self.of("broken"):
            ends = (other.at for other in mended if other.name == event.name and other.at >= event.at)
            at_last = event.at if event.pid is None else inf
            yield Window(event.name, event.at, next(ends, at_last), event.pid, event.boss)
