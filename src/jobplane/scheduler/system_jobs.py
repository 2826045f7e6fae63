"""The jobs of jobplane itself: the scheduler alone serves the queue `system`."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final
from uuid import UUID

from jobplane import __version__
from jobplane.api.inline.asynchronous import AsyncInline
from jobplane.api.jobplane import Jobplane
from jobplane.config import Config
from jobplane.control.planning import plan
from jobplane.core.errors import AlreadyExists, JobplaneError, StoreUnavailable
from jobplane.core.ids import new_id
from jobplane.core.model import Document, NewWorker
from jobplane.core.timetable import Timetable
from jobplane.core.triggers import TriggerFilter
from jobplane.process.asking import AskingStore
from jobplane.process.contact import ConnectionLost, Contact
from jobplane.process.events import EventLog
from jobplane.process.loop import Loop, Signal
from jobplane.scheduler import cleanup, retention
from jobplane.store.verbs.engine import DeregisterWorker, RegisterWorker, SeeWorker, SyncDefinitions
from jobplane.store.verbs.triggers import CreateTrigger, FindDueTriggers, ListTriggers
from jobplane.store.worker import WorkerStore

QUEUE: Final = "system"
APP: Final = "jobplane"
SYSTEM: Final = UUID("00000000-0000-7000-8000-000000000002")
SEEN_SECONDS: Final = 5.0
# By the key of the trigger, which is that of its definition: the label and the cron, in UTC.
SCHEDULES: Final[Mapping[str, tuple[str, str]]] = {
    retention.JOBS: ("Remove old jobs", "0 2 * * *"),
    retention.LOGS: ("Remove old log lines", "10 2 * * *"),
    retention.FIRES: ("Remove the record of old fires", "20 2 * * *"),
    retention.ARTIFACTS: ("Remove files that no result names", "30 2 * * *"),
}


class SystemJobs(AsyncInline):
    """Runs one job at a time, as a worker of the queue `system`. Several schedulers share the work."""

    def __init__(self, config: Config, store: WorkerStore, contact: Contact, events: EventLog, worker_id: str) -> None:
        connection, self._seen = contact.connection("system jobs"), contact.connection("registration")
        self._asking = AskingStore(connection, store)
        self._jobs = _define(config, self._asking)
        super().__init__(self._jobs, self._asking, [QUEUE])
        self._worker = _worker(worker_id, self._jobs.keys)
        self._sees = AskingStore(self._seen, store)
        self._events = events
        self._poll = config.poll_seconds
        self._connection = connection
        self._woken = Signal()

    @property
    def loops(self) -> list[Loop]:
        return [Loop("system jobs", self._connection, self.step), Loop("registration", self._seen, self._see)]

    async def introduce(self) -> None:
        """Bring the definitions and, once, their schedules; then register."""
        documents = [_builtin(document) for document in self._jobs.documents]
        await self._store.run(SyncDefinitions(APP, __version__, documents))
        await self._schedule()
        await self._register()

    async def step(self) -> None:
        try:
            ran = await self._run_due(1)
        except StoreUnavailable as error:
            raise ConnectionLost(str(error)) from error
        except JobplaneError as error:
            text = "The scheduler could not run its own jobs."
            self._events.log_event("system_jobs_failed", text, level="warning", error=str(error))
            ran = 0
        if not ran:
            await self._woken.wait(self._poll)

    async def _see(self) -> None:
        try:
            if not await self._sees.run(SeeWorker(self._worker.worker_id)):
                await self._sees.run(RegisterWorker(self._worker))
        except JobplaneError as error:
            raise ConnectionLost(str(error)) from error
        await asyncio.sleep(SEEN_SECONDS)

    async def leave(self) -> None:
        """Say that it is gone for good."""
        with suppress(JobplaneError):
            await self._store.run(DeregisterWorker(self._worker.worker_id))

    async def _schedule(self) -> None:
        """Create the schedules that are missing. Existing ones stay as people have changed them."""
        wanted = {key: SCHEDULES[key] for key in self._jobs.keys if key in SCHEDULES}
        there = await self._asking.run(ListTriggers(SYSTEM, TriggerFilter(keys=tuple(wanted)), 1000))
        now = (await self._store.run(FindDueTriggers(0, 0))).now
        for key in wanted.keys() - {trigger.key for trigger in there.items}:
            label, cron = wanted[key]
            trigger_id = new_id()
            times = plan(Timetable("UTC", cron_expr=cron), trigger_id, 0, now).document
            document: Document = {
                "id": str(trigger_id),
                "key": key,
                "label": label,
                "definition_key": key,
                "cron_expr": cron,
                "timezone": "UTC",
                "overlap": "skip",
                **times,
            }
            with suppress(AlreadyExists):  # another scheduler has started at the same moment
                await self._asking.run(CreateTrigger(SYSTEM, document))


def _define(config: Config, store: AskingStore) -> SystemProgram:
    jobs = SystemProgram(async_store=store, app=APP, version=__version__)
    retention.define(jobs, config, store)
    cleanup.define(jobs, config)
    return jobs


class SystemProgram(Jobplane):
    """The definitions of jobplane itself."""

    @property
    def documents(self) -> list[Document]:
        return [*self._program.registry.documents()]


def _builtin(document: Document) -> Document:
    return {**document, "origin": "builtin", "system": True}


def _worker(worker_id: str, keys: tuple[str, ...]) -> NewWorker:
    return NewWorker(
        worker_id=worker_id,
        queues=[QUEUE],
        definitions=keys,
        hostname=socket.gethostname()[:100],
        pid=os.getpid(),
        version=__version__,
        slots=1,
        metadata={"kind": "scheduler"},
    )
