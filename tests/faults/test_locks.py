"""Statements that hang and connections that are not to be had: a worker waits, and goes on by itself."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final
from uuid import UUID

import psycopg
import pytest

from jobplane.core.model import NewWorker
from tests.faults.places import SqlitePlace
from tests.faults.servers import OwnServer
from tests.faults.sizes import slow
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.faults.workers import LEASE_SECONDS, is_alive

on_own_server = pytest.mark.parametrize("place", ["own"], indirect=True)
RESUME_SECONDS: Final = 5.0
RECOVER_SECONDS: Final = 10.0
ANSWER_SECONDS: Final = 11.0
LOCKED_SECONDS: Final = 60.0
LOCKS: Final = 4
_LOCK: Final = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1], timeout=60, isolation_level=None) as file:
    file.execute("begin exclusive")
    print("locked", flush=True)
    sys.stdin.read()
"""


@slow
@on_own_server
def test_a_locked_table_stops_nobody_for_good(stage: Stage, server: OwnServer) -> None:
    worker = stage.ready_worker()
    stage.enqueue("nap", 20, seconds=0.5)
    until(lambda: stage.started() > 5, PATIENCE, "a busy worker")

    with _locked(stage, server, "leases"):
        pause(3 * LEASE_SECONDS)
    assert stage.start_delay(stage.enqueue("quick", 5)) <= RESUME_SECONDS
    stage.drain(within=60)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}


@slow
@on_own_server
def test_a_locked_table_costs_no_attempt_whoever_reaps(stage: Stage, server: OwnServer) -> None:
    stage.ready_workers(3)
    for _ in range(LOCKS):
        jobs = stage.enqueue("nap", 10, seconds=600, again=0.1)
        until(lambda jobs=jobs: stage.started(jobs) == len(jobs), PATIENCE, "their start")
        stage.await_renewal(LEASE_SECONDS)  # then the database knows that each has begun
        with _locked(stage, server, "leases"):
            pause(1.8 * LEASE_SECONDS)
        until(lambda: stage.active() == 0, PATIENCE, "their next attempt")
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} == {"released", "succeeded"}


@slow
@on_own_server
def test_a_minute_without_the_table_of_jobs_costs_no_attempt(stage: Stage, server: OwnServer) -> None:
    """Nothing is enqueued, claimed, settled or reaped; what runs is renewed, and so is what has ended."""
    worker = stage.ready_worker(worker_concurrency="40")
    short = stage.enqueue("nap", 20, max_attempts=1, seconds=2 * LEASE_SECONDS)
    long = stage.enqueue("nap", 20, max_attempts=1, seconds=LOCKED_SECONDS + 3 * LEASE_SECONDS)
    until(lambda: stage.started() == len(short + long), PATIENCE, "a busy worker")
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
    assert stage.start_delay(ready) <= RESUME_SECONDS
    stage.drain(within=60)

    assert worker.process.poll() is None
    assert len(stage.attempts("succeeded")) == len([*short, *long, *waiting, *fresh])
    assert [attempt.job for attempt in stage.begun() if attempt.outcome != "succeeded"] == [str(abandoned)]


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


@slow
@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_file_that_is_locked_for_two_leases_costs_no_attempt(stage: Stage) -> None:
    """What runs cannot be renewed, so it is stopped in time; it goes back when the file can be written again."""
    worker = stage.ready_worker()
    jobs = stage.enqueue("nap", 8, max_attempts=2, seconds=600, again=0.1)
    until(lambda: stage.started(jobs) == len(jobs), PATIENCE, "their start")
    stage.await_renewal(LEASE_SECONDS)
    executors = worker.executors()

    with _locked_file(stage):
        locked_at, expires_at = time.monotonic(), stage.place.first_expiry()
        until(lambda: not any(map(is_alive, executors)), PATIENCE, "the end of its executors")
        assert stage.last_pulse(executors) < expires_at, "a lease ended before its handler"
        pause(max(0.0, locked_at + 2 * LEASE_SECONDS - time.monotonic()))
    stage.drain(within=60)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}
    ends = Counter((attempt.outcome, attempt.reason) for attempt in stage.begun())
    assert ends == {("released", "lost_contact"): len(jobs), ("succeeded", None): len(jobs)}


@contextmanager
def _locked_file(stage: Stage) -> Generator[None]:
    """Another process keeps everybody from writing until the block ends."""
    assert isinstance(stage.place, SqlitePlace)
    command = [sys.executable, "-c", _LOCK, str(stage.place.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdin
        assert other.stdout
        assert other.stdout.readline() == b"locked\n"
        stage.recorder.note("broken", name="locked")
        yield
        other.stdin.close()
    stage.recorder.note("mended", name="locked")


@slow
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
    assert stage.start_delay(stage.insist("quick", 5)) <= RECOVER_SECONDS
    stage.drain(within=60)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}


def _fill(server: OwnServer, idle: ExitStack) -> None:
    """Take every connection that is left."""
    with suppress(psycopg.OperationalError):
        while True:
            idle.enter_context(psycopg.connect(server.database.url("app")))
