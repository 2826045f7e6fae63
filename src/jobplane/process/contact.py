"""The connections of a process to the database, and which of them answer."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

from jobplane.core.errors import Conflict, Invalid, JobplaneError, StoreBusy
from jobplane.process.events import EventLog

T = TypeVar("T")

# A connection that has not answered for so long counts as dead: a renewal has to come through in the same time.
PATIENCE_SECONDS: Final = 8.0
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0
_TELL_SECONDS: Final = 60.0


class ConnectionLost(Exception):
    """The database did not answer a call. The caller pauses and calls again."""


class CallRefused(Exception):
    """The database answered and refused the values of a call. The same call will be refused again."""


def is_refusal(error: JobplaneError) -> bool:
    """Whether the values are at fault. Other errors may pass: during a migration even a missing right or schema."""
    return isinstance(error, Invalid | Conflict)


class Connection:
    """One connection: whether it answers, and how long to pause after it was lost."""

    def __init__(self, name: str, contact: Contact, *, is_vital: bool, longest_pause: float) -> None:
        self.name = name
        self.is_vital = is_vital
        self._longest_pause = longest_pause
        self._contact = contact
        self._lost_at: float | None = None
        self._asked_at: dict[object, float] = {}
        self._losses = 0
        self._is_main_lost = False
        self.is_stalled = False  # whether the log says so
        self.spoke_at = time.monotonic()

    async def ask(self, call: Awaitable[T], *, is_main: bool = False) -> T:
        """The answer of one call. Raises CallRefused or ConnectionLost; a fault of our own passes through.

        After the loss of a main call, only a main call can show that the connection is back.
        """
        asking = object()
        self._asked_at[asking] = time.monotonic()
        try:
            answer = await call
        except (JobplaneError, OSError) as error:
            if isinstance(error, JobplaneError) and is_refusal(error):
                self.record_answer(is_main=is_main)
                raise CallRefused(str(error)) from error
            self.record_failure(error, since=self._asked_at[asking], is_main=is_main)
            raise ConnectionLost(str(error)) from error
        finally:
            del self._asked_at[asking]
        self.record_answer(is_main=is_main)
        return answer

    async def pause(self) -> None:
        """Wait with full jitter: all workers lost the database at once. Ends when another connection is back."""
        longest = min(self._longest_pause, _FIRST_PAUSE * 2 ** min(self._losses, 10))
        self._losses += 1
        with suppress(TimeoutError):
            async with asyncio.timeout(random.uniform(0, longest)):  # noqa: S311 a jitter, not a secret
                await self._contact.back.wait()

    @property
    def silent_seconds(self) -> float:
        """How long a call has waited, or the connection has been lost, without an answer."""
        now = time.monotonic()
        return now - min(now if self._lost_at is None else self._lost_at, *self._asked_at.values(), now)

    def is_alone_since(self, moment: float) -> bool:
        """Whether no other connection was answered since then: then the database is away, not one call slow."""
        others = [connection for connection in self._contact.connections if connection is not self]
        return not any(connection.spoke_at >= moment and not connection.is_lost for connection in others)

    @property
    def is_lost(self) -> bool:
        return self._lost_at is not None

    def record_answer(self, *, is_main: bool = False) -> None:
        """Record an answer."""
        self.spoke_at = time.monotonic()
        self._losses = 0
        if self._lost_at is not None and (is_main or not self._is_main_lost):
            self._lost_at = None
            self._is_main_lost = False
            self._contact.report_found(self)
            self.is_stalled = False

    def record_failure(self, error: Exception, *, since: float | None = None, is_main: bool = False) -> None:
        """Record a failed call."""
        self.spoke_at = time.monotonic()
        self._is_main_lost = self._is_main_lost or is_main
        if self._lost_at is None:
            self._lost_at = time.monotonic() if since is None else since
            self._contact.report_lost(self, error)
        elif self.silent_seconds > PATIENCE_SECONDS and not self.is_stalled:
            self.is_stalled = self._contact.report_stalled(self, error)
        self._contact.report_waiting(error)


class Contact:
    """All connections of a process. Logs the begin and the end of an outage, and a line for each minute of it."""

    def __init__(self, events: EventLog) -> None:
        self._events = events
        self._lost_at: float | None = None
        self._told_at = 0.0
        self.connections: list[Connection] = []
        self.back = asyncio.Event()
        self.on_found: Callable[[Connection], None] | None = None

    def connection(self, name: str, *, is_vital: bool = True, longest_pause: float = _LONGEST_PAUSE) -> Connection:
        """Make a connection. Readiness does not depend on one that is not vital."""
        made = Connection(name, self, is_vital=is_vital, longest_pause=longest_pause)
        self.connections.append(made)
        return made

    @property
    def silent(self) -> list[str]:
        """The names of the vital connections that have not answered for 8 s."""
        return [
            connection.name
            for connection in self.connections
            if connection.is_vital and connection.silent_seconds > PATIENCE_SECONDS
        ]

    def report_lost(self, connection: Connection, error: Exception) -> None:
        """Log a lost connection, as an outage unless a lost race or a lock is the reason."""
        if self._lost_at is None and not isinstance(error, StoreBusy):
            self._lost_at = self._told_at = time.monotonic()
            self._events.log_event("database_lost", level="warning", line=connection.name, error=str(error))
        else:
            self._events.log_event("line_lost", level="debug", line=connection.name, error=str(error))

    def report_waiting(self, error: Exception) -> None:
        """Log once a minute that the outage goes on, and why: a password or a database may have been changed."""
        now = time.monotonic()
        if self._lost_at is not None and now - self._told_at >= _TELL_SECONDS:
            self._told_at = now
            seconds = round(now - self._lost_at)
            self._events.log_event("waiting_for_database", level="warning", seconds=seconds, error=str(error))

    def report_stalled(self, connection: Connection, error: Exception) -> bool:
        """Log that a lock blocks a connection, unless an outage was logged. Returns whether it was logged."""
        if self._lost_at is None:
            seconds = round(connection.silent_seconds, 1)
            text = f"A lock in the database has blocked these calls for {seconds:g} s."
            self._events.log_event(
                "line_stalled", text, level="warning", line=connection.name, seconds=seconds, error=str(error)
            )
        return self._lost_at is None

    def report_found(self, connection: Connection) -> None:
        if connection.is_stalled:
            self._events.log_event("line_resumed", line=connection.name)
        else:
            self._events.log_event("line_found", level="debug", line=connection.name)
        self.back.set()
        self.back = asyncio.Event()
        if self.on_found is not None:
            self.on_found(connection)
        if self._lost_at is not None and not any(each.is_lost for each in self.connections):
            seconds, self._lost_at = time.monotonic() - self._lost_at, None
            self._events.log_event("database_found", seconds=round(seconds, 1))
