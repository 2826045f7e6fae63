"""An attempt as its handler sees it: what it was told, whom it speaks to, and what it passes on."""

from __future__ import annotations

from collections.abc import Awaitable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from jobplane.core.actors import Actor
from jobplane.core.claimed import ClaimedJob
from jobplane.core.logs import LogLevel


class RunningAttempt(Protocol):
    """One attempt, and the ways from its handler to whoever runs it."""

    @property
    def job(self) -> ClaimedJob: ...
    @property
    def plane(self) -> object: ...
    @property
    def worker(self) -> str: ...
    @property
    def started_at(self) -> datetime: ...
    @property
    def deadline(self) -> datetime | None: ...
    @property
    def is_canceled(self) -> bool: ...

    def note(self, share: float | None, message: str | None) -> Awaitable[None]:
        """Say how far it has come."""
        ...

    def check(self) -> Awaitable[None]:
        """Raise if it is to stop."""
        ...

    def find_secret(self, reference: str) -> str:
        """The value of a secret, which is masked from then on."""
        ...

    def leave(self) -> None:
        """Raise if its deadline passed during a call of jobplane that could not be interrupted."""
        ...

    def write(self, level: LogLevel, message: str, fields: Mapping[str, object], *, exc_info: bool = False) -> None:
        """One line of its log; called by the method that the handler calls."""
        ...


class Turn(Awaitable[None]):
    """Already complete. Awaiting it yields once to the event loop; not awaiting it is harmless."""

    def __await__(self) -> Generator[None, None, None]:
        yield


TURN: Final = Turn()


@dataclass(frozen=True, slots=True)
class Inherited:
    """What a running job passes on to the jobs that its handler enqueues."""

    plane: object
    tenant_id: UUID
    correlation_id: str | None
    trace_context: str | None


current: Final[ContextVar[RunningAttempt | None]] = ContextVar("jobplane_attempt", default=None)


def find_inherited() -> Inherited | None:
    """The values that the handler running here passes on; None outside a handler."""
    attempt = current.get()
    if attempt is None:
        return None
    job = attempt.job
    return Inherited(attempt.plane, job.tenant_id, job.correlation_id, job.trace_context)


def actor_for(plane: object) -> Actor | None:
    """The job whose handler runs here, as the caller of this plane; None outside a handler of this plane."""
    attempt = current.get()
    if attempt is None or attempt.plane is not plane:
        return None
    return Actor("job", str(attempt.job.job_id), attempt.job.definition_key)


def leave_call() -> None:
    """Call this after a blocking call of jobplane: a handler whose deadline passed during the call learns it now."""
    attempt = current.get()
    if attempt is not None:
        attempt.leave()


@contextmanager
def as_current(attempt: RunningAttempt) -> Generator[None]:
    """What is logged and enqueued inside belongs to this attempt."""
    token = current.set(attempt)
    try:
        yield
    finally:
        current.reset(token)


def share_of(share: float | None) -> float | None:
    """A progress that a store can keep: from 0 to 1."""
    if share is None:
        return None
    if share != share:
        raise ValueError("The progress must be a number from 0 to 1, not NaN.")
    return min(max(float(share), 0.0), 1.0)
