"""What keeps jobs moving: promote, reap, expire, sweep, low marks, vacuum. Any process may do it, several at once."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from jobplane.core.errors import JobplaneError, StoreBusy, StoreUnavailable
from jobplane.store.base import EngineStore
from jobplane.store.verbs.engine import Expire, Promote, Reap, Renew, Sweep, Tick, Tidy

log = logging.getLogger("jobplane.upkeep")

BATCH: Final = 1000
PAUSE: Final = 0.1
# A look takes no more than an eleventh of the time: under a snapshot that is held for an hour a full tick reads
# millions of dead rows.
REST: Final = 10
# Renewed every third, a lease lasts two thirds of its time when nobody can renew it. A look at the leases comes before
# that is over, and one that is answered after more than a third of a lease was kept from them.
LOOKS: Final = 5
LATE: Final = 3


class Stop(Protocol):
    """An event, of this thread or of another."""

    def is_set(self) -> bool: ...


@dataclass
class Chore:
    """One call, due every so many seconds; `drain`: again at once while it finds a full batch."""

    name: str
    every: float
    act: Callable[[], Awaitable[object]]
    drain: int = 0
    due_at: float = field(default=0.0)
    wrong: str = field(default="")


class Upkeep:
    """Does each chore when it is due. After an outage or a lock that it saw it reaps nothing for one lease.

    The vacuum needs another role than the rest: who has it gives it.
    """

    def __init__(
        self,
        store: EngineStore,
        *,
        vacuum: Callable[[], Awaitable[object]] | None = None,
        lease_seconds: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._lease = lease_seconds
        self._reap_from = 0.0
        self._asked_at = 0.0
        self._chores = (
            Chore("promote", 0.25, lambda: store.run(Promote(limit=BATCH)), drain=BATCH),
            Chore("tick", 0.25, lambda: store.run(Tick(full=False))),
            Chore("full tick", 2.0, lambda: store.run(Tick(full=True))),
            Chore("expire", 1.0, lambda: store.run(Expire(limit=BATCH)), drain=BATCH),
            Chore("sweep", 1.0, lambda: store.run(Sweep(limit=BATCH))),
            Chore("reap", min(5.0, lease_seconds / LOOKS), lambda: self._reap(store), drain=500),
            Chore("tidy", 60.0, lambda: store.run(Tidy())),
            *([] if vacuum is None else [Chore("vacuum", 2.0, vacuum)]),
        )

    async def once(self) -> None:
        """Do all that is due. What the database refuses is logged and comes again; an outage ends the round."""
        self._asked_at = self._clock()
        for chore in self._chores:
            if chore.due_at <= (start := self._clock()):
                chore.due_at = start + chore.every * (0.8 + 0.4 * random.random())  # noqa: S311 a jitter, not a secret
                try:
                    await self._do(chore)
                finally:
                    rest = 0 if chore.drain else REST * (self._clock() - start)
                    chore.due_at = max(chore.due_at, self._clock() + rest)

    async def all(self) -> None:
        """Do every chore now, due or not, for who comes by only now and then."""
        self._asked_at = self._clock()
        for chore in self._chores:
            await self._do(chore)

    async def run(self, stopping: Stop) -> None:
        """Go on until told to stop."""
        while not stopping.is_set():
            try:
                await self.once()
            except StoreUnavailable as error:
                log.warning("upkeep waits for the database: %s", error)
            await asyncio.sleep(PAUSE)

    async def _do(self, chore: Chore) -> None:
        try:
            while await chore.act() == chore.drain > 0:
                self._asked_at = self._clock()
            chore.wrong = ""
        except StoreUnavailable:
            self._wait()
            raise
        except JobplaneError as error:
            self._tell(chore, str(error))

    def _tell(self, chore: Chore, wrong: str) -> None:
        """Once, and again when it is something else: a chore that is due four times a second fails as often."""
        if chore.wrong != wrong:
            log.warning("upkeep: %s failed: %s", chore.name, wrong)
        chore.wrong = wrong

    async def _reap(self, store: EngineStore) -> int:
        """It looks also while it waits: who is kept from the leases, by a lock or a busy file, cannot renew either."""
        try:
            await store.run(Renew([]))
            if self._clock() - self._asked_at > self._lease / LATE:
                self._wait()
            return 0 if self._clock() < self._reap_from else await store.run(Reap(limit=500))
        except StoreBusy:
            self._wait()
            raise

    def _wait(self) -> None:
        """Those who live renew first, or give back what they hold."""
        self._reap_from = self._clock() + self._lease
