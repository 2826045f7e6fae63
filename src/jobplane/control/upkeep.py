"""What keeps jobs moving: promote, reap, expire, sweep, low marks, vacuum. Any process may do it, several at once."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, Protocol

from jobplane.control.reaped import log_reaped
from jobplane.control.snapshots import Snapshots
from jobplane.core.errors import JobplaneError, StoreBusy, StoreUnavailable
from jobplane.core.model import DueChores
from jobplane.store.base import EngineStore
from jobplane.store.verbs.engine import (
    Expire,
    FindDueChores,
    FindSnapshots,
    Promote,
    Reap,
    Renew,
    Sweep,
    Tick,
    Tidy,
    WakeIdle,
)

log = logging.getLogger("jobplane.upkeep")

BATCH: Final = 1000
PAUSE: Final = 0.1
# One call says what there is to do: this often while there is something, and else as often as the process needs.
# A job that was scheduled after the last look, for before the next one, is late by the time between them at most.
BUSY_SECONDS: Final = 0.25
CALM_SECONDS: Final = 0.85
SHORTEST_SECONDS: Final = 0.05
# Processes that wait for their turn come at different times when it is over.
SPREAD_SECONDS: Final = 0.5
# A chore takes no more than an eleventh of the time: under a snapshot that is held for an hour a full tick reads
# millions of dead rows.
REST: Final = 10
# Renewed every third, a lease lasts two thirds of its time when nobody can renew it. A look at the leases comes before
# that is over, and one that is answered after more than a third of a lease was kept from them.
LOOKS: Final = 5
LATE: Final = 3
NOTHING: Final = DueChores(None, None, frozenset(), {})


class StopFlag(Protocol):
    """An event, of this thread or of another."""

    def is_set(self) -> bool: ...


@dataclass
class Chore:
    """One call, due at an interval of seconds; `drain`: again at once while it finds a full batch.

    `asks`: only where `due_chores` says that it has something to do.
    """

    name: str
    every: float
    act: Callable[[], Awaitable[object]]
    drain: int = 0
    asks: bool = False
    due_at: float = field(default=0.0)


class Upkeep:
    """Does each chore when it is due. After an outage or a lock that it saw it reaps nothing for one lease.

    `by`: the name of a process that goes on for long. Such processes take turns, wake idle workers, and warn of
    snapshots that are held open. `calm_seconds`: how often to look while there is nothing to do. The vacuum needs
    another role than the rest: a process that has it gives it, and does it whoever has the turn.
    """

    def __init__(
        self,
        store: EngineStore,
        *,
        by: str | None = None,
        vacuum: Callable[[], Awaitable[object]] | None = None,
        lease_seconds: float = 30.0,
        calm_seconds: float = BUSY_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._by = by
        self._clock = clock
        self._calm = calm_seconds
        self._lease = lease_seconds
        self._reap_seconds = min(5.0, lease_seconds / LOOKS)
        self._reap_from = 0.0
        self._asked_at = 0.0
        self._look_at = 0.0
        self._snapshots = Snapshots(by)
        self._failed: dict[str, str] = {}
        self._vacuum = () if vacuum is None else (Chore("vacuum", 2.0, vacuum),)
        self._chores = (
            Chore("promote", 0.0, lambda: store.run(Promote(BATCH)), drain=BATCH, asks=True),
            Chore("tick", 0.0, lambda: store.run(Tick(full=False)), asks=True),
            Chore("full tick", 2.0, lambda: store.run(Tick(full=True))),
            Chore("expire", 1.0, lambda: store.run(Expire(BATCH)), drain=BATCH, asks=True),
            Chore("sweep", 1.0, lambda: store.run(Sweep(BATCH)), asks=True),
            Chore("reap", self._reap_seconds, self._reap, drain=500, asks=True),
            Chore("tidy", 60.0, lambda: store.run(Tidy())),
            *(() if by is None else self._list_chores(store)),
        )

    def _list_chores(self, store: EngineStore) -> tuple[Chore, ...]:
        return (
            Chore("wake", 1.0, lambda: store.run(WakeIdle()), asks=True),
            Chore("snapshots", 30.0, self._see_snapshots),
        )

    async def run_once(self) -> None:
        """Do all that is due. What the database refuses is logged and comes again; an outage ends the round."""
        self._asked_at = self._clock()
        if self._look_at <= self._asked_at:
            await self._round([chore for chore in self._chores if chore.due_at <= self._asked_at])
        for chore in self._vacuum:
            if chore.due_at <= self._clock():
                await self._take(chore, NOTHING)

    async def run_all(self) -> None:
        """Do every chore now, due or not, for a caller that comes by only now and then."""
        self._asked_at = self._clock()
        for chore in (*self._chores, *self._vacuum):
            await self._do(chore)

    async def run(self, stopping: StopFlag) -> None:
        """Go on until told to stop."""
        while not stopping.is_set():
            try:
                await self.run_once()
            except StoreUnavailable as error:
                log.warning("Upkeep waits for the database: %s", error)
                await asyncio.sleep(PAUSE)
            await asyncio.sleep(self.pause)

    @property
    def pause(self) -> float:
        """Seconds until `once` may have something to do, up to a tenth of a second."""
        return min(PAUSE, max(0.0, self._look_at - self._clock()))

    async def _round(self, due: Sequence[Chore]) -> None:
        found = await self._look([chore.name for chore in due if chore.asks])
        if found.other_seconds is not None:
            # As often as leases are looked at: whoever reaps next has to know when nobody could renew.
            rest = min(found.other_seconds, self._reap_seconds) + SPREAD_SECONDS * random.random()  # noqa: S311 a jitter
        else:
            for chore in due:
                await self._take(chore, found)
            rest = self._rest(found)
        self._look_at = self._clock() + rest

    async def _look(self, names: Sequence[str]) -> DueChores:
        """Find the chores that are due. If that call fails, each chore looks for its own work."""
        with self._log_refusals("look"):
            try:
                found = await self._store.run(FindDueChores(names, self._by))
            except StoreBusy:
                self._wait()
                raise
            self._judge_delay()
            return found
        return DueChores(None, None, frozenset(names), {})

    async def _take(self, chore: Chore, found: DueChores) -> None:
        start = self._clock()
        chore.due_at = start + chore.every * (0.8 + 0.4 * random.random())  # noqa: S311 a jitter, not a secret
        try:
            if not chore.asks or chore.name in found.due:
                await self._do(chore)
        finally:
            spent = self._clock() - start + found.took.get(chore.name, 0.0)
            chore.due_at = max(chore.due_at, self._clock() + (0 if chore.drain else REST * spent))

    def _rest(self, found: DueChores) -> float:
        """Until the next look: soon where there was something, and in time for the next job that comes due."""
        rest = (BUSY_SECONDS if found.due else self._calm) * random.uniform(0.9, 1.0)  # noqa: S311 a jitter
        return rest if found.next_seconds is None else max(SHORTEST_SECONDS, min(rest, found.next_seconds))

    async def _do(self, chore: Chore) -> None:
        with self._log_refusals(chore.name):
            while await chore.act() == chore.drain > 0:
                self._asked_at = self._clock()

    @contextmanager
    def _log_refusals(self, name: str) -> Generator[None]:
        """A refusal is logged once, and again when it is another: what is due four times a second fails as often."""
        try:
            yield
        except StoreUnavailable:
            self._wait()
            raise
        except JobplaneError as error:
            if self._failed.get(name) != str(error):
                log.warning("Upkeep could not do its chore %s: %s", name, error)
            self._failed[name] = str(error)
        else:
            self._failed.pop(name, None)

    async def _reap(self) -> int:
        """It looks also while it waits: who is kept from the leases, by a lock or a busy file, cannot renew either."""
        try:
            await self._store.run(Renew([]))
            self._judge_delay()
            reaped = [] if self._clock() < self._reap_from else await self._store.run(Reap(500))
        except StoreBusy:
            self._wait()
            raise
        if reaped:
            log_reaped(reaped, self._by)
        return len(reaped)

    async def _see_snapshots(self) -> None:
        self._snapshots.see(await self._store.run(FindSnapshots()), self._clock())

    def _judge_delay(self) -> None:
        if self._clock() - self._asked_at > self._lease / LATE:
            self._wait()

    def _wait(self) -> None:
        """Reap nothing for one lease, so that live workers can renew or release theirs first."""
        self._reap_from = self._clock() + self._lease
