"""Renew all leases in one call every third of a lease, and in between those with news."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from jobplane.core.leases import Lease, Renewal
from jobplane.process.contact import Connection
from jobplane.process.loop import Signal
from jobplane.store.verbs.engine import Renew
from jobplane.store.worker import WorkerStore
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet import Fleet
from jobplane.worker.frames import StopReason
from jobplane.worker.journal import Journal
from jobplane.worker.settler import Settler
from jobplane.worker.watchdog import boot_time

# Leases that have news: started, with progress, with a reader of their log, or locked at the last renewal.
BETWEEN_SECONDS: Final = 1.0
# A lease that expired while its row was locked may be reaped as soon as the lock is released: renew it before that.
BUSY_SECONDS: Final = 0.1
# Cancels that come together are asked for together. Any login may send a notification: after one that led to no cancel
# the next waits twice as long, up to a second.
TOGETHER_SECONDS: Final = 0.05
DOUBT_SECONDS: Final = 1.0
TALKING: Final = 100
_LOOK_SECONDS: Final = 1.0


class Renewer:
    """The deadline of the watchdog moves only after the store has answered a renewal of all leases."""

    def __init__(
        self,
        connection: Connection,
        store: WorkerStore,
        fleet: Fleet,
        settler: Settler,
        claim_records: ClaimRecords,
        journal: Journal,
        *,
        lease_seconds: int,
        followed: Callable[[frozenset[int]], None],
    ) -> None:
        self._connection = connection
        self._store = store
        self._fleet = fleet
        self._settler = settler
        self._claim_records = claim_records
        self._journal = journal
        self._lease_seconds = lease_seconds
        self._heard_followed = followed
        self._all_due_at = 0.0
        self._is_hastened = False
        self._heard_cancel_at = 0.0
        self._doubt_seconds = TOGETHER_SECONDS
        self._confirmed_at = 0.0
        self._confirmed = Signal()
        self._due = Signal()
        self._progress: dict[int, tuple[float | None, str | None]] = {}
        self._told: set[Lease] = set()
        self._stopped: dict[Lease, StopReason] = {}
        self._busy: set[int] = set()
        self._talking: set[int] = set()
        self._followed: frozenset[int] = frozenset()

    def on_progressed(self, seq: int, share: float | None, message: str | None) -> None:
        """Keep a handler's progress. The next renewal sends the last one."""
        self._progress[seq] = share, message

    def on_talked(self, seqs: Iterable[int]) -> None:
        """Note jobs that write logs: the next renewal asks whether somebody reads them. At most TALKING at a time."""
        if len(self._talking) < TALKING:
            self._talking.update(seqs)

    async def step(self) -> None:
        if time.monotonic() >= self._all_due_at:
            # Before the call: who asks for another round while it is on its way gets one.
            self._all_due_at = time.monotonic() + self._lease_seconds / 3
            await self.all()
        else:
            await self._some()
        await self._due.wait(BUSY_SECONDS if self._busy else min(BETWEEN_SECONDS, self._lease_seconds / 10))

    async def all(self) -> None:
        """Renew every lease: of jobs that run, that wait, and that have ended and are not settled."""
        sent_at = boot_time()
        leases = self._list_held()
        if leases or self._connection.is_lost:  # a lost connection is tried until it answers, also with nothing to say
            await self._renew(leases)
        self._fleet.confirm(sent_at)
        self._confirmed_at = sent_at
        self._confirmed.set()

    def on_found(self, connection: Connection) -> None:
        """Renew all leases when another connection is back: a database that crashed may have lost claims."""
        if connection is not self._connection:
            self._hasten()

    def on_canceled(self) -> None:
        """Renew soon after a notification of a cancel: the answer says which job to stop."""
        if not self._is_hastened:
            self._is_hastened = True
            calm = time.monotonic() - self._heard_cancel_at > 2 * DOUBT_SECONDS
            self._doubt_seconds = TOGETHER_SECONDS if calm else min(DOUBT_SECONDS, 2 * self._doubt_seconds)
            asyncio.get_running_loop().call_later(self._doubt_seconds, self._hasten)
        self._heard_cancel_at = time.monotonic()

    def _hasten(self) -> None:
        self._is_hastened = False
        self._all_due_at = 0.0
        self._due.set()

    async def renew_all(self) -> None:
        """Renew all leases now, and wait for the answer."""
        asked_at = boot_time()
        self._hasten()
        while self._confirmed_at < asked_at:
            await self._confirmed.wait(_LOOK_SECONDS)

    async def _some(self) -> None:
        """Renew the leases that have news since their last renewal."""
        held, begun = self._list_held(), self._fleet.find_begun()
        talking, self._talking = self._talking, set()
        wanted = self._progress.keys() | self._followed | self._busy | talking
        untold = {lease for lease in held if lease.seq in begun} - self._told
        leases = [lease for lease in held if lease in untold or lease.seq in wanted]
        if leases:
            await self._renew(leases)

    def _list_held(self) -> list[Lease]:
        """The leases held now, at most one for each job. Forget all state about other leases."""
        leases = {*self._fleet.list_held(), *self._settler.leases()}
        self._told &= leases
        self._stopped = {lease: why for lease, why in self._stopped.items() if lease in leases}
        self._claim_records.sweep(leases)
        held = self._alive(leases)
        self._busy &= held.keys()
        self._progress = {seq: said for seq, said in self._progress.items() if seq in held}
        return list(held.values())

    def _alive(self, leases: Iterable[Lease]) -> dict[int, Lease]:
        """The leases that are not lost, by seq. Answers name a seq alone, so a lost lease must not share its seq."""
        alive = sorted(lease for lease in leases if self._stopped.get(lease) != "gone")
        return {lease.seq: lease for lease in alive}

    async def _renew(self, leases: Sequence[Lease]) -> None:
        """Renew these. Progress that comes during the call goes with the next one."""
        begun, progress = self._fleet.find_begun(), self._progress
        self._progress = {}
        try:
            renewed = await self._connection.ask(
                self._store.run(Renew(leases, self._lease_seconds, begun=sorted(begun), progress=progress))
            )
        except BaseException:
            self._progress = {**progress, **self._progress}
            self._all_due_at = 0.0
            raise
        self._journal.log_step("renewed", leases=len(leases))
        fresh = [lease for lease in leases if lease.seq in begun and lease not in self._told]
        self._told.update(fresh)
        self._hear({lease.seq: lease for lease in leases}, renewed.exceptions)
        await self._journal.learn_tenants(self._store, fresh)
        self._journal.log_begun(fresh)

    def _hear(self, leases: Mapping[int, Lease], answers: Sequence[Renewal]) -> None:
        """Act on the answers. A locked row cannot be reaped meanwhile; it is renewed again soon."""
        by_answer: dict[str, set[int]] = {"cancel": set(), "busy": set(), "gone": set(), "followed": set()}
        for seq, answer in answers:
            by_answer[answer].add(seq)
        self._busy = (self._busy - leases.keys()) | by_answer["busy"]
        self._told -= {leases[seq] for seq in by_answer["busy"]}
        self._end({leases[seq] for seq in by_answer["gone"]}, "gone")
        self._end({leases[seq] for seq in by_answer["cancel"]}, "cancel")
        self._followed = frozenset(by_answer["followed"])
        self._heard_followed(self._followed)
        if self._followed:
            self._fleet.follow(self._followed)

    def _end(self, leases: set[Lease], why: StopReason) -> None:
        """Stop those that still run. A lease that was settled during the renewal is answered as gone, too."""
        unheard = {lease for lease in leases if self._stopped.get(lease) not in (why, "gone")}
        fresh = unheard.intersection(self._fleet.list_held()) if unheard else unheard
        self._stopped.update(dict.fromkeys(leases, why))
        for lease in fresh:
            self._journal.log_attempt(lease, "lease_gone" if why == "gone" else "cancel_requested", "info")
        if fresh and why == "cancel":
            self._doubt_seconds = TOGETHER_SECONDS / 2
        if fresh:
            self._fleet.stop({lease.seq: why for lease in fresh})
