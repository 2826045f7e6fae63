"""The upkeep in a process: promote due jobs, expire late ones, and reap the leases of lost workers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from jobplane.control.upkeep import BUSY_SECONDS, CALM_SECONDS, Upkeep
from jobplane.core.errors import StoreUnavailable
from jobplane.process.asking import AskingStore
from jobplane.process.contact import Connection, ConnectionLost
from jobplane.process.events import EventLog
from jobplane.store.verbs.engine import WakeIdle
from jobplane.store.verbs.verb import EngineVerb
from jobplane.store.worker import WorkerStore

T = TypeVar("T")
_CHORES: Final[dict[type, str]] = {WakeIdle: "wake"}


class Chores:
    """Runs the upkeep, and is its store. Each call is timed alone, so a long list of chores is no dead connection.

    `vacuum` clears the hot tables, if the login of the process may.
    """

    def __init__(
        self,
        connection: Connection,
        store: WorkerStore,
        events: EventLog,
        by: str,
        *,
        lease_seconds: int,
        listens: bool,
        vacuum: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self._store = AskingStore(connection, store)
        self._events = events
        calm_seconds = CALM_SECONDS if listens else BUSY_SECONDS
        self._upkeep = Upkeep(self, by=by, vacuum=vacuum, lease_seconds=lease_seconds, calm_seconds=calm_seconds)

    async def step(self) -> None:
        try:
            await self._upkeep.run_once()
        except StoreUnavailable as error:
            raise ConnectionLost(str(error)) from error
        await asyncio.sleep(self._upkeep.pause)

    async def run(self, verb: EngineVerb[T]) -> T:
        answer = await self._store.run(verb)
        if answer and isinstance(answer, int):
            self._events.log_step("upkeep", chore=_CHORES.get(type(verb), type(verb).__name__.lower()), rows=answer)
        return answer
