"""A lease from its claim to its settlement: the same values in a store, in a worker and in an inline run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import repeat
from typing import Final, Literal, NamedTuple, cast
from uuid import UUID

from jobplane.core.claimed import ClaimedJob
from jobplane.core.model import Outcome


class Lease(NamedTuple):
    """The right to run one attempt. Every renewal, settlement and log line is fenced by it."""

    seq: int
    attempt_no: int
    token: UUID


class Claimed(NamedTuple):
    """The answer to one claim. `jobs` has one row of text for each lease, in the same order, joined by newlines.

    `alone`: must each run in a process of their own, as suspects of a crash or by `isolation="process"`. `lasting`, a
    part of `alone`: go on when contact is lost. `more`: the claim could not look at all that may run; ask again at
    once.
    """

    leases: list[Lease]
    jobs: bytes = b""
    expires_at: datetime | None = None
    alone: frozenset[int] = frozenset()
    lasting: frozenset[int] = frozenset()
    more: bool = False

    def read(self) -> list[ClaimedJob]:
        """A job for each lease."""
        return [ClaimedJob(row) for row in self.jobs.split(b"\n")] if self.leases else []


class Renewal(NamedTuple):
    """A lease of which a renewal has more to say than `renewed`.

    cancel: stop the job. busy: somebody has it locked, ask again. gone: the lease is somebody else's, or nobody's.
    followed: somebody reads its log just now.
    """

    seq: int
    answer: Literal["cancel", "busy", "gone", "followed"]


class Renewed(NamedTuple):
    """The answer to a renewal: when the renewed leases end, and the leases that need something."""

    expires_at: datetime
    exceptions: list[Renewal]


class Ending(NamedTuple):
    """How an attempt ended. `result` is JSON text that fits a store.

    `message` is the handler's last word on its progress; a renewal takes it to the store. `spent_ms` is the handler's
    own time, for the log of the worker; None where nobody saw the end.
    """

    outcome: Outcome
    reason: str | None = None
    error: str | None = None
    exit_code: int | None = None
    retry_after: float | None = None
    result: str | None = None
    progress: float | None = None
    message: str | None = None
    spent_ms: int | None = None


SUCCEEDED: Final = Ending(Outcome.SUCCEEDED)


class Settlement(NamedTuple):
    """The end of one leased attempt; a plain success unless it says more."""

    lease: Lease
    ending: Ending = SUCCEEDED


class Settled(NamedTuple):
    """The answer to a settlement. `accepted` is None where somebody has the lease locked: ask again.

    `next_at`, where the call asks for `setbacks`: when a job that was queued again may start.
    """

    seq: int
    attempt_no: int
    accepted: bool | None
    status: str
    next_at: datetime | None = None


class Reaped(NamedTuple):
    """An attempt that was ended for a lost worker, which `worker_id` names; `tenant` is a slug.

    `next_at`: when a job that was queued again may start.
    """

    job_id: UUID
    tenant_id: UUID
    definition_key: str
    attempt_no: int
    worker_id: str
    trace_context: str | None
    outcome: str
    status: str
    held_ms: int
    tenant: str
    correlation_id: str | None = None
    reason: str | None = None
    attempts_left: int = 0
    next_at: datetime | None = None
    undecodable: tuple[str, ...] = ()


_make: Final = cast("Callable[[type[Settlement], tuple[Lease, Ending]], Settlement]", tuple.__new__)


def settle_successes(leases: Iterable[Lease]) -> list[Settlement]:
    """Plain successes, made in C: nearly all settlements of a worker are, and the constructor takes twice as long."""
    return list(map(_make, repeat(Settlement), zip(leases, repeat(SUCCEEDED), strict=False)))


def settle_released(lease: Lease, reason: str, retry_after: float | None = None) -> Settlement:
    """Give a lease back unspent."""
    return Settlement(lease, Ending(Outcome.RELEASED, reason, retry_after=retry_after))
