"""What stands between a handler's context and its lease: the last word from the store, and what is passed on."""

from __future__ import annotations

from collections.abc import Awaitable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol
from uuid import UUID

from jobplane.api.signals import Canceled, DeadlinePassed, LeaseLost


class Line(Protocol):
    """The way from a handler to its lease."""

    def renew(self, progress: float | None) -> Awaitable[str]:
        """Say how far it has come; the answer is that of a renewal: renewed, cancel, busy or gone."""
        ...


class Done(Awaitable[str]):
    """An answer that is there already; who does not await it loses nothing."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def __await__(self) -> Generator[None, None, str]:
        yield from ()
        return self.answer


class _Nothing(Awaitable[None]):
    def __await__(self) -> Generator[None, None, None]:
        yield from ()


class Desk:
    """One attempt's line, and what it has said so far."""

    def __init__(self, line: Line, deadline: datetime | None) -> None:
        self._line = line
        self._deadline = deadline
        self._answer = "renewed"
        self.progress: float | None = None

    @property
    def is_canceled(self) -> bool:
        return self._answer == "cancel"

    def note(self, share: float) -> Awaitable[None]:
        self.progress = share
        return self._then(self._line.renew(share), self.hear)

    def check(self) -> Awaitable[None]:
        return self._then(self._line.renew(None), self._judge)

    def hear(self, answer: str) -> None:
        """Keep what a renewal said; `busy` says nothing."""
        if answer != "busy":
            self._answer = answer

    def _judge(self, answer: str) -> None:
        self.hear(answer)
        if self._answer == "cancel":
            raise Canceled("somebody canceled this job")
        if self._answer == "gone":
            raise LeaseLost("the lease is gone")
        if self._deadline is not None and datetime.now(UTC) >= self._deadline:
            raise DeadlinePassed("the deadline has passed")

    def _then(self, answer: Awaitable[str], act: Hears) -> Awaitable[None]:
        """At once where the answer is there, so that a `def` handler need not await; else when it comes."""
        if isinstance(answer, Done):
            act(answer.answer)
            return _Nothing()
        return _later(answer, act)


class Hears(Protocol):
    def __call__(self, answer: str, /) -> None: ...


async def _later(answer: Awaitable[str], act: Hears) -> None:
    act(await answer)


@dataclass(frozen=True, slots=True)
class Heritage:
    """What a running job passes on to the jobs that its handler enqueues."""

    plane: object
    tenant_id: UUID
    correlation_id: str | None
    trace_context: str | None


_current: ContextVar[Heritage | None] = ContextVar("jobplane_heritage", default=None)


def inherited() -> Heritage | None:
    """Of the handler that runs here, if one does."""
    return _current.get()


@contextmanager
def passing_on(heritage: Heritage) -> Generator[None]:
    """What is enqueued inside inherits this."""
    token = _current.set(heritage)
    try:
        yield
    finally:
        _current.reset(token)
