"""The scheduler's process: it starts its loops, watches over them and stops them in order."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Final

from jobplane import opening
from jobplane.config import Config
from jobplane.core.errors import WorkerFailed
from jobplane.core.ids import new_worker_id
from jobplane.core.timetable import TZDATA_VERSION
from jobplane.process.chores import Chores
from jobplane.process.contact import Contact
from jobplane.process.database import refuse_memory, show_url
from jobplane.process.events import EventLog, show_error
from jobplane.process.health import Health
from jobplane.process.loop import Loop
from jobplane.process.sockets import split_address
from jobplane.process.starting import call_patiently
from jobplane.scheduler.fires import Fires
from jobplane.scheduler.system_jobs import SystemJobs
from jobplane.store.verbs.engine import Vacuum

STUCK_SECONDS: Final = 60.0
STOP_SECONDS: Final = 10.0


class Scheduler:
    """Fires schedules, does the upkeep, and serves the queue `system`. Any number may run."""

    def __init__(self, config: Config) -> None:
        self._config = config.base_on("scheduler")
        self.worker_id = new_worker_id("system")
        self._events = EventLog(logging.getLogger("jobplane.scheduler"), worker_id=self.worker_id)
        self._contact = Contact(self._events)
        self._health = Health("scheduler_http", self._unhealthy, self._unready)
        self._stores: opening.SchedulerStores | None = None
        self._fires: Fires | None = None
        self._system: SystemJobs | None = None
        self._loops: list[Loop] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._is_stopping = False

    async def start(self) -> None:
        """Ready: the database is there and knows the definitions of the system jobs."""
        if self._config.scheduler_http:
            port = await self._health.start(split_address(self._config.scheduler_http))
            self._events.log_event("health_started", port=port)
        refuse_memory(self._config)
        url = show_url(self._config.url("scheduler"))
        is_file = url.startswith("sqlite:")
        stores = await call_patiently(
            lambda: opening.open_scheduler_stores(self._config),
            self._events,
            "scheduler",
            file=url if is_file else None,
        )
        self._stores = stores
        self._system = SystemJobs(self._config, stores.system, self._contact, self._events, self.worker_id)
        await call_patiently(self._system.introduce, self._events, "scheduler", file=url if is_file else None)
        self._start_loops(stores, self._system, is_file=is_file)
        self._events.log_event(
            "scheduler_started",
            pid=os.getpid(),
            database=url,
            tzdata=TZDATA_VERSION,
            vacuums=stores.maintenance is not None,
        )

    def _start_loops(self, stores: opening.SchedulerStores, system: SystemJobs, *, is_file: bool) -> None:
        fires, kept = self._contact.connection("fires"), self._contact.connection("upkeep")
        # A file tells nobody of a new schedule.
        tick = min(1.0, self._config.scheduler_tick_seconds) if is_file else self._config.scheduler_tick_seconds
        self._fires = Fires(fires, stores.fires, self._events, self.worker_id, tick)
        maintenance = stores.maintenance
        if maintenance is None:
            hint = "Set database_url_maintenance to the URL of the maintenance login."
            self._events.log_event("vacuum_left_out", "The scheduler cannot vacuum.", level="warning", hint=hint)
        chores = Chores(
            kept,
            stores.upkeep,
            self._events,
            self.worker_id,
            lease_seconds=self._config.lease_seconds,
            listens=stores.notifications is not None,
            vacuum=None if maintenance is None else lambda: maintenance.run(Vacuum()),
        )
        self._loops = [Loop("fires", fires, self._fires.step), Loop("upkeep", kept, chores.step), *system.loops]
        self._tasks = [asyncio.create_task(loop.run(), name=loop.name) for loop in self._loops]
        if stores.notifications is not None:
            stores.notifications.on_schedules = self._fires.wake
            listening = stores.notifications.listen(lambda _: None, lambda _: None, lambda: None)
            self._tasks.append(asyncio.create_task(listening, name="listener"))

    async def watch(self) -> None:
        """Until a loop dies: a scheduler that goes on without one would be silently half dead."""
        done, _ = await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        dead = next(iter(done))
        error = None if dead.cancelled() else dead.exception()
        self._events.log_loop_died(dead.get_name(), error)
        raise WorkerFailed(f"The loop of {dead.get_name()} died: {show_error(error)}. The scheduler ends.") from error

    async def stop(self, hurry: asyncio.Event) -> None:
        """Finish the fires that have begun, give a system job back, deregister, and close the connections."""
        self._is_stopping = True
        self._events.log_event("scheduler_stopping")
        await self._end_loops(hurry)
        if self._system is not None:
            await self._system.leave()
        await self.abandon()
        self._events.log_event("scheduler_stopped")

    async def _end_loops(self, hurry: asyncio.Event) -> None:
        """Wait for the steps of fires and upkeep, and cancel the rest. A canceled system job is released."""
        for loop in self._loops:
            loop.stop()
        if self._fires is not None:
            self._fires.wake()
        steps = [task for task in self._tasks if task.get_name() in ("fires", "upkeep")]
        for task in self._tasks:
            if task not in steps:
                task.cancel()
        hurried = asyncio.create_task(hurry.wait())
        waiting = asyncio.gather(*steps, return_exceptions=True)
        await asyncio.wait({waiting, hurried}, timeout=STOP_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        hurried.cancel()

    async def abandon(self) -> None:
        """Drop everything, after a fault; leases are left to the reaper."""
        self._is_stopping = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._health.close()
        if self._stores is not None:
            await self._stores.close()

    def _unhealthy(self) -> list[str]:
        if self._is_stopping:
            return []
        return [
            f"The loop of {loop.name} has done nothing for {loop.idle_seconds:.0f} s."
            for loop in self._loops
            if loop.idle_seconds > self._patience
        ]

    @property
    def _patience(self) -> float:
        return STUCK_SECONDS + self._config.scheduler_tick_seconds

    def _unready(self) -> list[str]:
        if not self._loops:
            return ["The scheduler is starting. It waits for the database."]
        wrong = [f"The database does not answer the calls for {name}." for name in self._contact.silent]
        return [*wrong, *(["The scheduler is stopping."] if self._is_stopping else []), *self._unhealthy()]
