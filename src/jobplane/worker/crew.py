"""The loops of one worker, and the calls between them, its stores and its fleet."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Final

from jobplane.core.leases import Lease, Settlement
from jobplane.core.logs import NewLogLine
from jobplane.core.model import Document
from jobplane.core.outputs import CommandOutput
from jobplane.opening import WorkerStores
from jobplane.process.chores import Chores
from jobplane.process.contact import Contact
from jobplane.process.loop import Loop
from jobplane.worker.allowlist import Allowlist
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fetcher import Fetcher
from jobplane.worker.fleet import Fleet
from jobplane.worker.frames import Known
from jobplane.worker.journal import Journal
from jobplane.worker.listener import Listener
from jobplane.worker.logbook import Logbook
from jobplane.worker.registration import AppVersion, Registration
from jobplane.worker.renewer import Renewer
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.settler import Settler

# A loop that has done nothing for this long hangs: no call and no pause takes as long.
HUNG_SECONDS: Final = 90.0
# Leases expire, so the loop of renewals retries a lost database more often than the others.
RENEWAL_PAUSE_SECONDS: Final = 1.0


class Crew:
    """Claims, settlements and renewals have a connection each. A renewal waits for at most one call of the upkeep."""

    def __init__(
        self,
        settings: WorkerSettings,
        stores: WorkerStores,
        fleet: Fleet,
        definitions: Mapping[str, Known],
        journal: Journal,
        claim_records: ClaimRecords,
        contact: Contact,
        allowlist: Allowlist,
    ) -> None:
        self._fleet = fleet
        settles, keeps = (
            contact.connection("settlements"),
            contact.connection("renewals", longest_pause=RENEWAL_PAUSE_SECONDS),
        )
        claims, seen, kept = (
            contact.connection("claims"),
            contact.connection("registration"),
            contact.connection("upkeep"),
        )
        self.logbook = Logbook(settles, stores.settles, journal, fleet.credit)
        self.settler = Settler(
            settles, stores.settles, self.logbook, journal, self.on_freed, lease_seconds=settings.config.lease_seconds
        )
        self.renewer = Renewer(
            keeps,
            stores.keeps,
            fleet,
            self.settler,
            claim_records,
            journal,
            lease_seconds=settings.config.lease_seconds,
            followed=self.logbook.follow,
        )
        contact.on_found = self.renewer.on_found
        complete = settings.config.defaults.complete
        documents: dict[str, Document] = {key: complete(known["document"]) for key, known in definitions.items()}
        apps = {key: AppVersion(known["app"], known["version"]) for key, known in definitions.items()}
        self.registration = Registration(
            seen, stores.upkeep, journal, settings, documents, self._count_running, apps, allowlist
        )
        allowlist.bind(lambda verb: claims.ask(stores.claims.run(verb)))
        self.fetcher = Fetcher(
            claims,
            stores.claims,
            fleet,
            self.renewer,
            self.registration,
            self.settler,
            claim_records,
            journal,
            settings=settings,
            listens=stores.notifications is not None,
        )
        chores = Chores(
            kept,
            stores.upkeep,
            journal,
            settings.worker_id,
            lease_seconds=settings.config.lease_seconds,
            listens=stores.notifications is not None,
        )
        self._listener = (
            Listener(
                stores.notifications,
                claims,
                journal,
                settings.worker_id,
                self.fetcher.on_woken,
                self.renewer.on_canceled,
                self.fetcher.heard_upkeep,
            )
            if stores.notifications
            else None
        )
        self._fetching = Loop("claims", claims, self.fetcher.step)
        self.loops = (
            self._fetching,
            Loop("settlements", settles, self.settler.step),
            Loop("renewals", keeps, self.renewer.step),
            Loop("registration", seen, self.registration.step),
            Loop("upkeep", kept, chores.step),
        )

    def start(self) -> dict[str, asyncio.Task[None]]:
        """All loops as tasks by name; they run until they are stopped."""
        tasks = {loop.name: asyncio.create_task(loop.run(), name=loop.name) for loop in self.loops}
        if self._listener is not None:
            tasks["listener"] = asyncio.create_task(self._listener.run(), name="listener")
        return tasks

    def stop_claims(self) -> None:
        self._fetching.stop()
        self.fetcher.stop()
        self.registration.drain()

    @property
    def is_settled(self) -> bool:
        """Whether no settlement, no log line and no claim is under way."""
        return self.settler.count == 0 and self.logbook.due_in is None and not self.fetcher.is_claiming

    def complaints(self) -> Iterator[str]:
        """A sentence for each loop that hangs."""
        for loop in self.loops:
            if loop.idle_seconds > HUNG_SECONDS and not loop.is_stopped:
                yield f"The loop of {loop.name} has done nothing for {loop.idle_seconds:.0f} s."

    def _count_running(self) -> int:
        """How many handlers have started. Also corrects `fetcher.dealt`: a lost lease is never reported as ended."""
        self.fetcher.dealt = len(self._fleet.list_held())
        return len(self._fleet.find_begun())

    def on_ended(self, settlements: list[Settlement]) -> None:
        self.settler.add(self.fetcher.judge(settlements))
        self.fetcher.on_freed(len(settlements))

    def on_output(self, lease: Lease, output: CommandOutput) -> None:
        self.settler.keep_output(lease, output)

    def on_logged(self, lines: list[NewLogLine], sizes: Mapping[int, int]) -> None:
        self.logbook.add(lines, sizes)
        self.renewer.on_talked(sizes)
        self.settler.wake()

    def on_freed(self) -> None:
        self.fetcher.on_freed()
