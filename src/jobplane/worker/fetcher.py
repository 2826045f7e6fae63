"""Claim as many jobs as fit, queue by queue in weighted order: at once after a notification, else by polling."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Container, Mapping, Sequence
from typing import Final

from jobplane.core.claimed import PAYLOAD, TENANT_ID
from jobplane.core.errors import UnknownQueue
from jobplane.core.leases import SUCCEEDED, Claimed, Lease, Settlement, settle_released
from jobplane.process.contact import CallRefused, Connection
from jobplane.process.loop import Allowance, Signal
from jobplane.store.verbs.engine import Claim, PutQueues, WantWork
from jobplane.store.worker import WorkerStore
from jobplane.worker.allowlist import POLICY_MISMATCH
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet import Fleet
from jobplane.worker.fleet.verdict import stranger
from jobplane.worker.frames import UNKNOWN
from jobplane.worker.journal import Journal
from jobplane.worker.registration import Registration
from jobplane.worker.renewer import Renewer
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.settler import Settler
from jobplane.worker.successes import SHOWN
from jobplane.worker.watchdog import boot_time

AT_ONCE: Final = 500
# Outcomes that may wait for the settler before they take room from claims.
UNSETTLED: Final = 1000
# While nearly all slots are taken, a claim waits a moment for more room: few large claims cost less than many small.
GATHER_SECONDS: Final = 0.01
# How often to look for room that comes without an ended job: a new executor or watchdog.
ROOM_SECONDS: Final = 0.25
WANT_SECONDS: Final = 5
# The process that does the upkeep says so every 6 to 9 seconds, and wakes idle workers once a second where their queues
# have jobs. A worker that has heard so within these seconds polls less often.
KEPT_UP_SECONDS: Final = 10.0
KEPT_UP_POLL_SECONDS: Final = 5.0
WOKEN_SECONDS: Final = 1.0
# After the last find; each further rest is four times as long, up to the poll. Of three who enqueue at once two tell of
# it, and the third, which is silent, may be the last to commit. An empty claim delays a job that comes then.
CALM_SECONDS: Final = 0.005
CALMER: Final = 4
# After a first look at nothing but jobs of others; each further one waits twice as long, up to the poll.
OTHERS_SECONDS: Final = 0.05
COMPARED_SECONDS: Final = 1.0
# Any login may send a notification. This many that lead to no job are followed at once, then this many a second: at
# most 20 claims that find nothing in any second. A worker beside others is woken for their jobs, too.
FALSE_ALARMS: Final = 5
FALSE_ALARMS_A_SECOND: Final = 10
NOTHING: Final = Claimed([])


class Fetcher:
    """Makes one claim at a time. Jobs that cannot be dealt out any more are released without spending an attempt."""

    def __init__(
        self,
        connection: Connection,
        store: WorkerStore,
        fleet: Fleet,
        renewer: Renewer,
        registration: Registration,
        settler: Settler,
        claim_records: ClaimRecords,
        journal: Journal,
        *,
        settings: WorkerSettings,
        listens: bool,
    ) -> None:
        self._connection = connection
        self._store = store
        self._fleet = fleet
        self._renewer = renewer
        self._registration = registration
        self._settler = settler
        self._claim_records = claim_records
        self._journal = journal
        self._settings = settings
        self._queues = registration.queues
        self._poll = settings.config.poll_seconds
        self._listens = listens
        self._wanted_until = 0.0
        self._kept_up_until = 0.0
        self._names: dict[int, str] = {}
        self._woken_by: set[str] = set()
        self._freed = Signal()
        self._woken = Signal()
        self._is_short = False
        self._others_seconds = 0.0
        self._calm_seconds = self._poll
        self._is_beside_others = False
        self._compared_at = 0.0
        self._alarms = Allowance(FALSE_ALARMS, FALSE_ALARMS_A_SECOND)
        self._is_notified = False
        self._asked_all_at = 0.0
        self._is_doubtful = False  # whether the database still knows what this worker can run
        self._stopped = False
        self.is_claiming = False  # between the question and the answer, which may bring leases at any time
        self.dealt = 0

    def on_freed(self, ended: int = 0) -> None:
        """There may be room; `ended` of the jobs that were dealt out have come back."""
        self.dealt -= ended
        self._freed.set()
        if ended and not self._listens:  # its handler may have enqueued something, and nobody tells of it
            self._woken.set()

    def judge(self, settlements: Sequence[Settlement]) -> list[Settlement]:
        """Replace settlements of definitions this worker cannot run by releases, and register before the next claim."""
        return [each if each[1] is SUCCEEDED else self._judge(each) for each in settlements]

    def _judge(self, settlement: Settlement) -> Settlement:
        lease, ending = settlement
        if ending.reason == POLICY_MISMATCH:
            self._is_doubtful = True
            self._woken.set()
        facts = self._claim_records.facts(lease) if ending.reason == UNKNOWN else None
        if facts is None or self._registration.has(facts.definition_key):
            return settlement
        self._is_doubtful = True
        self._woken.set()
        return stranger(lease)

    def on_woken(self, queue_id: int | None) -> None:
        """A notification: a queue has a new job. None: any queue may have one."""
        if queue_id is None:
            self._woken.set()
        elif queue_id in self._names:
            self._woken_by.add(self._names[queue_id])
            self._woken.set()

    def heard_upkeep(self) -> None:
        """Record that another process does the upkeep and that notifications arrive: this worker polls less often."""
        self._kept_up_until = time.monotonic() + KEPT_UP_SECONDS

    def stop(self) -> None:
        """Claim no more; the answer of a claim that is on its way is given back."""
        self._stopped = True
        self._freed.set()
        self._woken.set()

    async def step(self) -> None:
        # A database that crashed may have forgotten a claim: stop those jobs before they are claimed a second time.
        if self._connection.is_lost:
            await self._renewer.renew_all()
            self._is_doubtful = True
        room = await self._room()
        if self._is_doubtful:
            self._is_doubtful = False
            await self._registration.look(self._connection, self._store)
        seconds = await self._round(room) if room > 0 and not self._stopped else 0.0
        if self._connection.is_lost:  # the look was answered, and there was no room for a claim
            self._connection.record_answer(is_main=True)
        if seconds:
            await self._rest(seconds)

    async def _room(self) -> int:
        """How many jobs fit now. Waits a moment for room, and for half of all slots while queues are full."""
        room = self._space()
        if room <= 0:
            await self._freed.wait(min(self._poll, ROOM_SECONDS))
            room = self._space()
        until = time.monotonic() + GATHER_SECONDS
        while self._is_short and 0 < room < min(AT_ONCE, (room + self.dealt) // 2) and time.monotonic() < until:
            await self._freed.wait(until - time.monotonic())
            room = self._space()
        return room

    def _space(self) -> int:
        """Room in the fleet, less the outcomes that wait for the settler: these still have leases."""
        return self._fleet.room() - max(0, self._settler.count - UNSETTLED)

    async def _round(self, room: int) -> float:
        """Claim from each queue what still fits. Returns how long to rest: 0 if there may be more to claim."""
        found = more = False
        self._is_short = False
        is_notified, self._is_notified = self._is_notified, False
        for queue in self._order(is_notified=is_notified):
            if room <= 0 or self._stopped:
                break
            claimed, limit = await self._claim(queue, room)
            room -= len(claimed.leases)
            found = found or bool(claimed.leases)
            if is_notified and not claimed.leases:
                self._alarms.spend()
            more = more or claimed.more
            self._is_short = self._is_short or len(claimed.leases) == limit
        self._others_seconds = await self._vainer() if more and not found else 0.0
        if more or self._is_short:
            return self._others_seconds
        self._calm_seconds = min(self._longest(), CALM_SECONDS if found else self._calm_seconds * CALMER)
        return self._calm_seconds

    def _longest(self) -> float:
        """The longest rest: longer than a poll only if another process wakes this worker for new jobs."""
        is_kept_up = time.monotonic() < self._kept_up_until and self._poll >= WOKEN_SECONDS
        return max(self._poll, KEPT_UP_POLL_SECONDS) if is_kept_up else self._poll

    async def _vainer(self) -> float:
        """How long to rest after claims that met only jobs of other workers: those stay at the head of the queue."""
        if time.monotonic() > self._compared_at + COMPARED_SECONDS:
            self._is_beside_others = await self._registration.is_beside_others(self._connection, self._store)
            self._compared_at = time.monotonic()
        return min(self._poll, self._others_seconds * 2 or OTHERS_SECONDS) if self._is_beside_others else 0.0

    async def _claim(self, queue: str, room: int) -> tuple[Claimed, int]:
        limit = min(room, AT_ONCE, self._fleet.quota(queue))
        if limit <= 0:
            return NOTHING, AT_ONCE
        asked_at = boot_time()
        told = self._settings
        call = self._store.run(
            Claim(queue, told.worker_id, limit=limit, lease_seconds=told.config.lease_seconds, begun=False)
        )
        self.is_claiming = True
        try:
            claimed = await self._connection.ask(call, is_main=True)
            await self._learn_tenants(claimed)
        except CallRefused as error:
            await self._put(queue, error)
            return NOTHING, limit
        finally:
            self.is_claiming = False
        self._journal.log_step("claimed", queue=queue, jobs=len(claimed.leases), limit=limit)
        if claimed.leases:
            left = claimed.leases if self._stopped else self._fleet.deal(claimed, asked_at, queue)
            self.dealt += len(claimed.leases) - len(left)
            self._claim_records.keep(claimed)
            self._give_back(left)
            if self._journal.is_detailed:
                await self._journal.learn_tenants(self._store, claimed.leases)
                self._journal.log_claimed(claimed.leases)
        return claimed, limit

    async def _learn_tenants(self, claimed: Claimed) -> None:
        """Read unknown slugs before handlers write their first lines; of large claims they are read with the ends."""
        if 0 < len(claimed.leases) <= SHOWN:
            rows = claimed.jobs.split(b"\n")
            await self._journal.slugs.learn(
                self._store, {row.split(b"\t", PAYLOAD)[TENANT_ID].decode() for row in rows}
            )

    async def _put(self, queue: str, error: CallRefused) -> None:
        """Make a queue again that is missing. The next round claims from it."""
        if not isinstance(error.__cause__, UnknownQueue):
            raise error
        self._is_doubtful = True
        self._journal.log_event("queue_missing", level="warning", queue=queue, error=str(error))
        await self._connection.ask(self._store.run(PutQueues([queue])))

    def _give_back(self, leases: Sequence[Lease]) -> None:
        if leases:
            self._journal.log_event("claim_given_back", jobs=len(leases))
            self._settler.add([settle_released(lease, "unstarted") for lease in leases])

    def _order(self, *, is_notified: bool) -> list[str]:
        """All queues. After a notification only the queues that it named, unless a poll is due."""
        woken, self._woken_by = self._woken_by, set()
        order = in_order(self._queues, woken)
        if is_notified and woken and time.monotonic() < self._asked_all_at + self._poll:
            return order[: len(woken)]
        self._asked_all_at = time.monotonic()
        return order

    async def _rest(self, seconds: float) -> None:
        """Wait until a notification comes or the time is over."""
        ends_at = time.monotonic() + seconds * random.uniform(0.75, 1.0)  # noqa: S311 a jitter, not a secret
        if self._others_seconds:  # whoever wakes it has most likely work for others
            await asyncio.sleep(min(seconds, OTHERS_SECONDS))
        while (left := ends_at - time.monotonic()) > 0 and not self._stopped and seconds <= self._longest():
            if self._listens and self._wanted_until - time.monotonic() < 1:
                if await self._want_work():
                    return
            elif await self._woken.wait(min(left, WANT_SECONDS / 2, self._poll)):
                await self._doubt()
                return

    async def _doubt(self) -> None:
        """After many notifications without a job, wait so that the next ones are handled together."""
        self._is_notified = self._listens
        if self._listens and not self._stopped and (seconds := self._alarms.short_by()):
            await asyncio.sleep(min(self._poll, seconds) * random.uniform(0.5, 1.5))  # noqa: S311 a jitter, not a secret
            self._woken.is_set = False

    async def _want_work(self) -> bool:
        """Ask the database for notifications. True if none would have come until now: a job may have come unnoticed."""
        wanted_at = time.monotonic()
        was_wanted = wanted_at < self._wanted_until
        found = await self._connection.ask(self._store.run(WantWork(list(self._queues), seconds=WANT_SECONDS)))
        self._wanted_until = wanted_at + WANT_SECONDS
        self._names = {queue_id: name for name, queue_id in found.items()}
        return not was_wanted


def in_order(queues: Mapping[str, int], woken: Container[str]) -> list[str]:
    """Queues that were notified first, then the others at random, by weight."""
    draws = {name: random.random() ** (1 / weight) for name, weight in queues.items()}  # noqa: S311 no secret
    return sorted(queues, key=lambda name: (name in woken, draws[name]), reverse=True)
