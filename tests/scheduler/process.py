"""Real `jobplane scheduler` processes, and schedules for them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from jobplane.core.model import DEFAULT_TENANT, Document, Job, JobFilter
from jobplane.core.timetable import TZDATA_VERSION
from jobplane.core.triggers import Trigger, TriggerFilter
from tests import programs
from tests.cli.command import COMMAND, environment
from tests.faults.places import Place
from tests.faults.waiting import until

PATIENCE: Final = 60.0
# A process whose own clock is wrong: every decision is the database's.
_SKEWED: Final = """
import runpy, sys, time
_time, _time_ns = time.time, time.time_ns
time.time = lambda: _time() + {seconds}
time.time_ns = lambda: _time_ns() + {seconds} * 10**9
sys.argv = ["jobplane", "scheduler"]
runpy.run_module("jobplane.cli.main", run_name="__main__")
"""


class SchedulerProcess:
    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self.process = process
        self._log = log

    def events(self, name: str | None = None) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self._log.read_text().splitlines() if line.startswith("{")]
        return [line for line in lines if name is None or line.get("event") == name]

    @property
    def worker_id(self) -> str:
        return self.events("scheduler_started")[0]["worker_id"]

    def wait_until_ready(self) -> SchedulerProcess:
        until(lambda: self.process.poll() is not None or bool(self.events("scheduler_started")), PATIENCE, "its start")
        assert self.process.poll() is None, self._log.read_text()
        return self

    def stop(self) -> int:
        """Its exit code, after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def freeze(self) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.kill(self.process.pid, signal.SIGCONT)


class Schedulers:
    """Starts schedulers, makes schedules, and counts what they have made. The definition is `d` of tenant default."""

    def __init__(self, place: Place, settings: Mapping[str, str], directory: Path) -> None:
        self.place = place
        self.store = place.store
        self._settings = settings
        self._directory = directory
        self._number = 0
        self.store.put_definitions([{"key": "d", "kind": "python", "arg_schema": True}])

    def start(self, *, skewed: int = 0, **settings: str) -> SchedulerProcess:
        self._number += 1
        log = self._directory / f"scheduler-{self._number}.log"
        given = {"JOBPLANE_LOG_FORMAT": "json", "JOBPLANE_LOG_LEVEL": "debug", **self._settings, **settings}
        command = [sys.executable, "-c", _SKEWED.format(seconds=skewed)] if skewed else [*COMMAND, "scheduler"]
        with log.open("w") as output:
            process = programs.start(command, env=environment(**given), stdout=output, stderr=output)
        return SchedulerProcess(process, log)

    def ready(self, **settings: str) -> SchedulerProcess:
        return self.start(skewed=0, **settings).wait_until_ready()

    def make(self, planned: datetime | None = None, **values: Any) -> Trigger:
        """A schedule of every second, unless it says otherwise, that is due now."""
        at = (planned or datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=1)).isoformat()
        document: Document = {"label": "every second", "definition_key": "d", "interval_seconds": 1, **values}
        times: Document = {"next_run_at": at, "due_at": at, "zone_version": TZDATA_VERSION}
        return self.store.create_trigger(DEFAULT_TENANT, {**times, **document})

    def get(self, trigger: UUID) -> Trigger:
        [found] = self.store.list_triggers(DEFAULT_TENANT, TriggerFilter(ids=(trigger,))).items
        return found

    def jobs(self) -> list[Job]:
        """All jobs of the schedules, the newest first."""
        found: list[Job] = []
        cursor: int | None = None
        while True:
            page = self.store.list_jobs(DEFAULT_TENANT, JobFilter(), 1000, cursor)
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                return found

    def planned(self, trigger: UUID) -> Counter[datetime | None]:
        """How many jobs each planned time has made."""
        return Counter(job.planned_at for job in self.jobs() if job.trigger_id == trigger)
