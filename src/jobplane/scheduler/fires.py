"""The loop that fires schedules."""

from __future__ import annotations

from collections import Counter

from jobplane.control.firing import Firing
from jobplane.core.errors import StoreUnavailable
from jobplane.process.asking import AskingStore
from jobplane.process.contact import Connection, ConnectionLost
from jobplane.process.events import EventLog
from jobplane.process.loop import Signal
from jobplane.store.worker import WorkerStore


class Fires:
    """Looks at what is due, at the latest every tick; `wake` lets it look at once."""

    def __init__(
        self, connection: Connection, store: WorkerStore, events: EventLog, by: str, tick_seconds: float
    ) -> None:
        self._firing = Firing(AskingStore(connection, store), by=by, tick_seconds=tick_seconds)
        self._events = events
        self._woken = Signal()

    async def step(self) -> None:
        try:
            done = await self._firing.run_once()
        except StoreUnavailable as error:
            raise ConnectionLost(str(error)) from error
        if done.fired:
            self._events.log_step("schedules_fired", **Counter(fired.outcome for fired in done.fired))
        if done.pause:
            await self._woken.wait(done.pause)

    def wake(self) -> None:
        self._woken.set()
