"""A scheduler as users run it: a process that fires, serves the queue system, and stops in order."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime, timedelta
from urllib.request import urlopen

from jobplane.core.model import JobFilter, JobStatus
from jobplane.core.triggers import TriggerFilter
from jobplane.scheduler.system_jobs import SCHEDULES, SYSTEM
from tests.cli.command import within
from tests.faults.waiting import until
from tests.scheduler.process import PATIENCE, Schedulers

SOON = 20.0


def test_a_schedule_fires_at_its_planned_times_and_the_job_knows_them(schedulers: Schedulers) -> None:
    schedulers.ready()
    made = schedulers.make(payload_template={"at": "{{ schedule.planned_at }}"})

    until(lambda: len(schedulers.planned(made.id)) >= 3, SOON, "three jobs")

    jobs = [job for job in reversed(schedulers.jobs()) if job.trigger_id == made.id]
    first = made.next_run_at
    assert first is not None
    assert [job.planned_at for job in jobs[:3]] == [first + timedelta(seconds=n) for n in range(3)]
    assert [job.payload["at"] for job in jobs if job.payload] == [
        f"{job.planned_at:%Y-%m-%dT%H:%M:%SZ}" for job in jobs if job.planned_at
    ]
    assert all(job.triggered_by and job.triggered_by["type"] == "scheduler" for job in jobs)


def test_the_tick_delays_no_schedule_that_is_saved_meanwhile(schedulers: Schedulers) -> None:
    schedulers.ready(JOBPLANE_SCHEDULER_TICK_SECONDS="3600")
    schedulers.ready(JOBPLANE_SCHEDULER_TICK_SECONDS="3600")
    at = datetime.now(UTC)

    made = schedulers.make(at, interval_seconds=None, once=True, starts_at=at.isoformat())

    until(lambda: not schedulers.get(made.id).is_enabled, SOON, "its only fire")
    found = schedulers.get(made.id)
    assert (found.disabled_reason, found.last_run_at, len(schedulers.planned(made.id))) == ("done", at, 1)


def test_system_schedules_are_made_once_and_respect_people(schedulers: Schedulers) -> None:
    schedulers.ready().stop()
    where = TriggerFilter(keys=tuple(SCHEDULES))
    first = {trigger.key: trigger for trigger in schedulers.store.list_triggers(SYSTEM, where).items}
    jobs = first["system.prune-jobs"]
    schedulers.store.change_trigger(SYSTEM, jobs.id, {"cron_expr": "30 4 * * *"})
    schedulers.store.change_trigger(SYSTEM, first["system.prune-logs"].id, {"is_enabled": False})
    schedulers.store.change_definition("system.prune-jobs", {"max_attempts": 9})

    schedulers.ready().stop()

    second = {trigger.key: trigger for trigger in schedulers.store.list_triggers(SYSTEM, where).items}
    [definition] = schedulers.store.definitions(["system.prune-jobs"])
    shown = [each.key for each in schedulers.store.definitions()]
    assert {key: (trigger.cron_expr, trigger.is_enabled) for key, trigger in second.items()} == {
        "system.prune-jobs": ("30 4 * * *", True),
        "system.prune-logs": ("10 2 * * *", False),
        "system.prune-fires": ("20 2 * * *", True),
    }
    assert (definition.max_attempts, definition.system, definition.origin) == (9, True, "builtin")
    assert "system.prune-jobs" not in shown


def test_it_alone_serves_the_queue_system(schedulers: Schedulers) -> None:
    process = schedulers.ready(JOBPLANE_POLL_SECONDS="0.1")
    [jobs] = schedulers.store.list_triggers(SYSTEM, TriggerFilter(keys=("system.prune-jobs",))).items

    schedulers.store.fire_trigger(SYSTEM, jobs.id, jobs.version, "manual", [datetime.now(UTC)], [{}])

    done = JobFilter(statuses=[JobStatus.SUCCEEDED])
    until(lambda: bool(schedulers.store.list_jobs(SYSTEM, done).items), PATIENCE, "the end of the job")
    [ended] = schedulers.store.list_jobs(SYSTEM, done).items
    [worker] = [each for each in schedulers.store.workers() if each.worker_id == process.worker_id]
    assert (ended.queue, ended.worker_id, worker.queues) == ("system", process.worker_id, ["system"])


def test_it_answers_for_its_health_and_leaves_in_order(schedulers: Schedulers) -> None:
    with socket.create_server(("127.0.0.1", 0)) as found:
        port = found.getsockname()[1]
    process = schedulers.ready(JOBPLANE_SCHEDULER_HTTP=f"127.0.0.1:{port}")
    for page in ("healthz", "readyz"):
        with urlopen(f"http://127.0.0.1:{port}/{page}", timeout=10) as answer:
            assert json.load(answer) == {"status": "ok", "wrong": []}

    assert process.stop() == 0

    assert [event.get("event") for event in process.events() if "event" in event][-2:] == [
        "scheduler_stopping",
        "scheduler_stopped",
    ]
    assert [worker for worker in schedulers.store.workers() if worker.live] == []


def test_a_scheduler_that_is_switched_off_does_not_start(schedulers: Schedulers) -> None:
    process = schedulers.start(JOBPLANE_SCHEDULER_ENABLED="false")

    assert process.process.wait(PATIENCE) == 2
    assert process.events("scheduler_started") == []


def test_a_worker_is_refused_the_queue_system() -> None:
    answer = within("worker", "--import", "tests.worker.app", "--queue", "system", "--url", "sqlite:///x.db")

    assert (answer.code, "The queue system is the scheduler's" in answer.err) == (2, True)
