"""An attempt as its handler sees it: what it was told, whom it speaks to, and what it passes on."""

from __future__ import annotations

from collections.abc import Awaitable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from jobplane.core.lines import LogLevel
from jobplane.core.traces import trace_id


class Facts(Protocol):
    """What a lease says about its job and attempt."""

    @property
    def job_id(self) -> UUID: ...
    @property
    def tenant_id(self) -> UUID: ...
    @property
    def definition_key(self) -> str: ...
    @property
    def attempt_no(self) -> int: ...
    @property
    def attempts_left(self) -> int: ...
    @property
    def priority(self) -> int: ...
    @property
    def scheduled_for(self) -> datetime: ...
    @property
    def timeout_seconds(self) -> int | None: ...
    @property
    def correlation_id(self) -> str | None: ...
    @property
    def trace_context(self) -> str | None: ...
    @property
    def source(self) -> str: ...
    @property
    def source_ref(self) -> str | None: ...
    @property
    def artifact_ref(self) -> str | None: ...


class Desk(Protocol):
    """One attempt, and the ways from its handler to whoever runs it."""

    @property
    def facts(self) -> Facts: ...
    @property
    def plane(self) -> object: ...
    @property
    def worker(self) -> str: ...
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

    def write(self, level: LogLevel, message: str, fields: Mapping[str, object], *, exc_info: bool = False) -> None:
        """One line of its log; called by the method that the handler calls."""
        ...


class Turn(Awaitable[None]):
    """Done already; who awaits it lets the event loop have its turn, who does not loses nothing."""

    def __await__(self) -> Generator[None, None, None]:
        yield


TURN: Final = Turn()


@dataclass(frozen=True, slots=True)
class Heritage:
    """What a running job passes on to the jobs that its handler enqueues."""

    plane: object
    tenant_id: UUID
    correlation_id: str | None
    trace_context: str | None


current: Final[ContextVar[Desk | None]] = ContextVar("jobplane_attempt", default=None)


def inherited() -> Heritage | None:
    """Of the handler that runs here, if one does."""
    desk = current.get()
    if desk is None:
        return None
    facts = desk.facts
    return Heritage(desk.plane, facts.tenant_id, facts.correlation_id, facts.trace_context)


@contextmanager
def seated(desk: Desk) -> Generator[None]:
    """What is logged and enqueued inside belongs to this attempt."""
    token = current.set(desk)
    try:
        yield
    finally:
        current.reset(token)


def share_of(share: float | None) -> float | None:
    """A progress that a store can keep: from 0 to 1."""
    if share is None:
        return None
    if share != share:
        raise ValueError("a progress is a number from 0 to 1")
    return min(max(float(share), 0.0), 1.0)


def ids_of(facts: Facts, worker: str) -> dict[str, object]:
    """What each log line of an attempt carries."""
    return {
        "job_id": str(facts.job_id),
        "tenant_id": str(facts.tenant_id),
        "definition_key": facts.definition_key,
        "attempt_no": facts.attempt_no,
        "worker_id": worker,
        "correlation_id": facts.correlation_id,
        "trace_id": trace_id(str(facts.job_id), facts.trace_context),
    }
