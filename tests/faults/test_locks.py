"""Statements that hang and connections that are not to be had: a worker waits, and goes on by itself."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final
from uuid import UUID

import psycopg
import pytest

from jobplane.core.model import NewWorker
from tests.faults.servers import OwnServer
from tests.faults.sizes import in_full
from tests.faults.stage import Stage
from tests.faults.waiting import pause, until
from tests.faults.workers import LEASE_SECONDS

on_own_server = pytest.mark.parametrize("place", ["own"], indirect=True)
RESUME_SECONDS: Final = 5.0
RECOVER_SECONDS: Final = 10.0
ANSWER_SECONDS: Final = 11.0
LOCKED_SECONDS: Final = 60.0
LOCKS: Final = 4


@in_full
@on_own_server
def test_a_locked_table_stops_nobody_for_good(stage: Stage, server: OwnServer) -> None:
    worker = stage.ready_worker()
    stage.enqueue("nap", 20, seconds=0.5)
    until(lambda: stage.started() > 5, 20, "a busy worker")

    with _locked(stage, server, "leases"):
        pause(3 * LEASE_SECONDS)
    fresh = stage.enqueue("quick", 5)
    until(lambda: stage.started(fresh) == 5, RESUME_SECONDS, "work on a table that is free")
    stage.drain(within=30)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}


@in_full
@on_own_server
def test_a_locked_table_costs_no_attempt_whoever_reaps(stage: Stage, server: OwnServer) -> None:
    stage.ready_workers(3)
    for _ in range(LOCKS):
        jobs = stage.enqueue("nap", 10, seconds=60, again=0.1)
        until(lambda jobs=jobs: stage.started(jobs) == len(jobs), 20, "their start")
        pause(LEASE_SECONDS / 2)  # until each has been renewed: then the database knows that it has begun
        with _locked(stage, server, "leases"):
            pause(1.8 * LEASE_SECONDS)
        until(lambda: stage.active() == 0, 20, "their next attempt")
    stage.drain(within=10)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} == {"released", "succeeded"}


@in_full
@on_own_server
def test_a_minute_without_the_table_of_jobs_costs_no_attempt(stage: Stage, server: OwnServer) -> None:
    """Nothing is enqueued, claimed, settled or reaped; what runs is renewed, and so is what has ended."""
    worker = stage.ready_worker(worker_concurrency="40")
    short = stage.enqueue("nap", 20, max_attempts=1, seconds=2 * LEASE_SECONDS)
    long = stage.enqueue("nap", 20, max_attempts=1, seconds=LOCKED_SECONDS + 3 * LEASE_SECONDS)
    until(lambda: stage.started() == len(short + long), 20, "a busy worker")
    waiting = stage.enqueue("quick", 20, max_attempts=2)
    abandoned = _claimed_by_nobody(stage)

    with _locked(stage, server, "jobs"):
        locked_at = time.monotonic()
        assert stage.enqueue("quick") == []
        assert time.monotonic() < locked_at + ANSWER_SECONDS
        pause(locked_at + LOCKED_SECONDS - time.monotonic())
        assert stage.leases() == len([*short, *long, abandoned])
    fresh = stage.enqueue("quick", 20, max_attempts=1)
    ready = {*waiting, *fresh} - {abandoned}
    until(lambda: stage.started(ready) == len(ready), RESUME_SECONDS, "work on a table that is free")
    stage.drain(within=30)

    assert worker.process.poll() is None
    assert len(stage.attempts("succeeded")) == len([*short, *long, *waiting, *fresh])
    assert [attempt.job for attempt in stage.attempts() if attempt.outcome != "succeeded"] == [str(abandoned)]


def _claimed_by_nobody(stage: Stage) -> UUID:
    """A job with the lease of a worker that is gone, to be reaped."""
    store = stage.place.store
    store.register_worker(NewWorker(worker_id="gone", queues=["default"]))
    [lease] = store.claim("default", "gone", limit=1, lease_seconds=LEASE_SECONDS).leases
    return lease.job_id


@contextmanager
def _locked(stage: Stage, server: OwnServer, table: str) -> Generator[None]:
    """Keep everybody from a table until the block ends."""
    stage.recorder.note("broken", name="locked")
    with psycopg.connect(server.database.url("owner")) as conn:
        conn.execute("select set_config('role', tableowner, true) from pg_tables where tablename = %s", [table])
        conn.execute(f"lock table jobplane.{table} in access exclusive mode".encode())
        yield
    stage.recorder.note("mended", name="locked")


@in_full
@on_own_server
def test_a_server_without_a_free_connection_is_waited_for(stage: Stage, server: OwnServer) -> None:
    worker = stage.ready_worker()
    stage.recorder.note("broken", name="exhausted")
    with server.admin() as admin, ExitStack() as idle:
        while server.connections(admin):
            server.end_backends(admin)
            _fill(server, idle)
        pause(2.0)
    stage.recorder.note("mended", name="exhausted")
    fresh = stage.enqueue("quick", 5)
    until(lambda: stage.started(fresh) == 5, RECOVER_SECONDS, "work on a server with room")
    stage.drain(within=30)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}


def _fill(server: OwnServer, idle: ExitStack) -> None:
    """Take every connection that is left."""
    with suppress(psycopg.OperationalError):
        while True:
            idle.enter_context(psycopg.connect(server.database.url("app")))
