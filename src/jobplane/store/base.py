"""The protocols of every store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeVar

from jobplane.core.actors import Actor
from jobplane.store.verbs.verb import EngineVerb, Verb

Answer = TypeVar("Answer")
Driver = Literal["apsw", "stdlib"]  # which SQLite a process has; two of them would break each other's locks


class Conn(Protocol):
    """A connection that an application lends, inside its own transaction; a statement has the store's placeholders."""

    def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        """Run one statement and fetch what it returns; commits and rolls back nothing."""
        ...


class AsyncConn(Protocol):
    """The same, of an application with an event loop."""

    async def rows(self, statement: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]: ...


class Store(Protocol):
    """Runs verbs for programs with an event loop."""

    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer:
        """The verb's answer; `conn` runs it in the caller's own transaction. Raises a JobplaneError.

        `actor` is who asks; None: the database login itself.
        """
        ...


class BlockingStore(Protocol):
    """Runs the same verbs for programs without one; safe to share between threads."""

    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer: ...


class EngineStore(Protocol):
    """The part of a store that workers and the upkeep need."""

    async def run(self, verb: EngineVerb[Answer]) -> Answer: ...
