"""The supervisor starts, watches and stops the parts of a worker. It runs no code of the user."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from jobplane import opening
from jobplane.config import Config
from jobplane.core.errors import WorkerFailed
from jobplane.core.leases import Lease, Settlement
from jobplane.core.logs import NewLogLine
from jobplane.core.outputs import CommandOutput
from jobplane.process.contact import Contact
from jobplane.process.database import find_other_database, refuse_memory, show_url
from jobplane.process.events import show_error
from jobplane.process.health import Health
from jobplane.process.starting import call_patiently, locate
from jobplane.worker.allowlist import Allowlist
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.crew import Crew
from jobplane.worker.fleet import Catalog, Fleet
from jobplane.worker.journal import Journal
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.stopping import Stop

REPEAT_SECONDS: Final = 60.0
_ALARMING: Final = ("died", "failed", "killed", "stuck", "lost", "deaf", "not_done")


class Supervisor:
    """One worker: call `start`, then `watch` until it raises or a stop is wanted, then `stop`."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._claim_records = ClaimRecords()
        self._journal = Journal(settings.worker_id, self._claim_records)
        self._contact = Contact(self._journal)
        self._health = Health("worker_http", self._unhealthy, self._unready)
        self._allowlist = Allowlist(settings.config.worker_policy, self._journal.log_event)
        self._fleet = Fleet(settings, self, self._claim_records, lambda: self._journal.slugs.known, self._allowlist)
        self._journal.slugs.on_learned = self._fleet.name_tenants
        self._crew: Crew | None = None
        self._stores: opening.WorkerStores | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._database = ""
        self._awaited = "its modules to be imported"
        self._failure: tuple[object, float] = ("", 0.0)
        self._is_stopping = False

    @property
    def worker_id(self) -> str:
        return self._settings.worker_id

    async def start(self) -> None:
        """Start. Returns when the modules are imported, the worker is registered and claims have begun."""
        if self._settings.http is not None:
            port = await self._health.start(self._settings.http)
            self._journal.log_event("health_started", host=self._settings.http[0], port=port)
        catalog = await self._fleet.start()
        self._awaited = "the database"
        self._crew = await self._introduce(catalog)
        self._tasks = self._crew.start()
        self._journal.log_event(
            "worker_started",
            pid=os.getpid(),
            database=self._database,
            queues=dict(self._crew.registration.queues),
            definitions=len(catalog.definitions),
            processes=self._settings.processes,
            slots=self._settings.slots,
            commands=self._settings.commands,
        )

    async def watch(self) -> None:
        """Wait until a loop dies, then raise: without that loop, leases would never be settled or renewed."""
        done, _ = await asyncio.wait(self._tasks.values(), return_when=asyncio.FIRST_COMPLETED)
        dead = next(iter(done))
        error = None if dead.cancelled() else dead.exception()
        self._journal.log_loop_died(dead.get_name(), error)
        raise WorkerFailed(f"The loop of {dead.get_name()} died: {show_error(error)}. The worker ends.") from error

    async def stop(self, hurry: asyncio.Event) -> None:
        """Let jobs finish until the grace time is over or `hurry` is set, release the rest, and deregister."""
        self._is_stopping = True
        if self._crew is not None:
            grace_seconds = self._settings.config.grace_seconds
            await Stop(self._crew, self._fleet, self._journal, self._tasks, grace_seconds).run(hurry)
        await self.abandon()
        self._journal.flush()
        self._journal.log_event("worker_stopped")

    async def abandon(self) -> None:
        """End everything at once. Leases are left to the reaper."""
        self._is_stopping = True
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._fleet.close()
        await self._health.close()
        if self._stores is not None:
            await self._stores.close()

    async def _introduce(self, catalog: Catalog) -> Crew:
        self._settings = _with_queues(self._settings, catalog, self._journal)
        config = locate(self._settings.config, catalog.url, "worker")
        self._find(config, catalog.url)
        file = self._database if self._database.startswith("sqlite:") else None
        stores = await call_patiently(
            lambda: opening.open_worker_stores(config, self._settings.deadlines), self._journal, "worker", file=file
        )
        self._stores = stores
        known = catalog.definitions
        crew = Crew(
            self._settings,
            stores,
            self._fleet,
            known,
            self._journal,
            self._claim_records,
            self._contact,
            self._allowlist,
        )
        await call_patiently(crew.registration.introduce, self._journal, "worker", file=file)
        return crew

    def _find(self, config: Config, url: str | None) -> None:
        """Set the name of the database for the log, and warn if the modules name another one.

        A worker inside an application is not checked: its modules may know the same database by another name.
        """
        self._database = show_url(config.url("worker"))
        if not self._settings.adopts:
            return
        refuse_memory(config)
        if other := find_other_database(config, url):
            self._journal.log_event(
                "modules_on_another_database", level="warning", modules=other, worker=self._database
            )

    def _unhealthy(self) -> list[str]:
        return [] if self._crew is None or self._is_stopping else list(self._crew.complaints())

    def _unready(self) -> list[str]:
        """Why no job can be run now."""
        if self._crew is None:
            return [f"The worker is starting. It waits for {self._awaited}."]
        wrong = [f"The database does not answer the calls for {name}." for name in self._contact.silent]
        wrong += ["The worker is stopping."] if self._is_stopping else []
        wrong += [] if self._fleet.is_ready else ["No process is ready to run jobs."]
        return [*wrong, *self._crew.complaints()]

    # Calls from the fleet. It holds no jobs before there is a crew.

    def on_ended(self, settlements: list[Settlement]) -> None:
        if self._crew is not None:
            self._crew.on_ended(settlements)

    def on_output(self, lease: Lease, output: CommandOutput) -> None:
        if self._crew is not None:
            self._crew.on_output(lease, output)

    def on_logged(self, lines: list[NewLogLine], sizes: Mapping[int, int]) -> None:
        if self._crew is not None:
            self._crew.on_logged(lines, sizes)

    def on_progressed(self, seq: int, share: float | None, message: str | None) -> None:
        if self._crew is not None:
            self._crew.renewer.on_progressed(seq, share, message)

    def on_freed(self) -> None:
        if self._crew is not None:
            self._crew.on_freed()

    def log_event(self, name: str, **facts: object) -> None:
        """Log an event of the fleet; at debug before there is a crew, when `start` raises, and for expected ends."""
        level = level_of(name)
        quiet = self._crew is None or (name == "executor_failed" and self._is_known(facts))
        quiet = quiet or (self._is_stopping and level == "info")
        is_ours = name == "executor_died" and facts.get("cause") != "crash"
        text = "A process that runs jobs had to be ended." if is_ours else None
        self._journal.log_event(name, text, level="debug" if quiet else level, **facts)

    def _is_known(self, facts: Mapping[str, object]) -> bool:
        """Whether the same failure was logged within the last minute: a failing import is tried again and again."""
        error, now = facts.get("error"), time.monotonic()
        if self._failure[0] == error and now < self._failure[1] + REPEAT_SECONDS:
            return True
        self._failure = error, now
        return False


def level_of(name: str) -> str:
    """The log level of an event: a warning if a process ended, failed or fell silent without being asked to."""
    return "warning" if any(word in name for word in _ALARMING) else "info"


def _with_queues(settings: WorkerSettings, catalog: Catalog, journal: Journal) -> WorkerSettings:
    """The settings with the queues of the definitions, if no queues were named."""
    used = {known["queue"] for known in catalog.definitions.values()}
    for queue in () if settings.commands else sorted(settings.queues.keys() - used):
        journal.log_event("queue_without_definitions", level="warning", queue=queue, used=sorted(used))
    return settings if settings.queues else replace(settings, queues=dict.fromkeys(sorted(used), 1))
