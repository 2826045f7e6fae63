"""Statements that hang and connections that are not to be had: a worker waits, and goes on by itself."""

from __future__ import annotations

from contextlib import ExitStack, suppress

import psycopg
import pytest

from tests.faults.servers import OwnServer
from tests.faults.sizes import in_full
from tests.faults.stage import Stage
from tests.faults.waiting import pause, until
from tests.faults.workers import LEASE_SECONDS

on_own_server = pytest.mark.parametrize("place", ["own"], indirect=True)
RESUME_SECONDS = 5.0
RECOVER_SECONDS = 10.0
LOCKS = 4


@in_full
@on_own_server
def test_a_locked_table_stops_nobody_for_good(stage: Stage, server: OwnServer) -> None:
    worker = stage.ready_worker()
    stage.enqueue("nap", 20, seconds=0.5)
    until(lambda: stage.started() > 5, 20, "a busy worker")

    _lock(stage, server, 3 * LEASE_SECONDS)
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
        _lock(stage, server, 1.8 * LEASE_SECONDS)
        until(lambda: stage.active() == 0, 20, "their next attempt")
    stage.drain(within=10)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} == {"released", "succeeded"}


def _lock(stage: Stage, server: OwnServer, seconds: float) -> None:
    """Keep everybody from the leases for so long."""
    stage.recorder.note("broken", name="locked")
    with psycopg.connect(server.database.url("owner")) as conn:
        conn.execute("select set_config('role', tableowner, true) from pg_tables where tablename = 'leases'")
        conn.execute("lock table jobplane.leases in access exclusive mode")
        pause(seconds)
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
