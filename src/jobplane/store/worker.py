"""A worker's connections to the database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jobplane.store.base import Answer
from jobplane.store.verbs.verb import Verb


class WorkerStore(Protocol):
    """A worker's store, on one connection of its own. A call ends by its deadline, with StoreUnavailable;

    the next call connects again. Nothing is retried inside.
    """

    async def run(self, verb: Verb[Answer]) -> Answer: ...

    async def check(self) -> None:
        """Whether it answers; raises a StoreError."""
        ...

    async def close(self) -> None: ...


class Notifications(Protocol):
    """A connection that listens; `on_lost` is told of each that could not be made, or was lost.

    `on_schedules` hears that somebody has saved a schedule.
    """

    on_lost: Callable[[Exception], None] | None
    on_schedules: Callable[[], None] | None

    async def listen(
        self, woken: Callable[[int | None], None], canceled: Callable[[str], None], kept_up: Callable[[], None]
    ) -> None:
        """Tell the id of each queue that got a job (what want_work answered), until it is closed.

        None: it listens from now on, so look once. `canceled` is told the id of a worker that runs a canceled job.
        `kept_up` hears every few seconds that a process does the upkeep.
        """
        ...

    async def close(self) -> None: ...
