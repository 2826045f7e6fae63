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


@in_full
@on_own_server
def test_a_locked_table_stops_nobody_for_good(stage: Stage, server: OwnServer) -> None:
    worker = stage.ready_worker()
    stage.enqueue("nap", 20, seconds=0.5)
    until(lambda: stage.started() > 5, 20, "a busy worker")

    stage.recorder.note("broken", name="locked")
    with psycopg.connect(server.database.url("owner")) as conn:
        conn.execute("select set_config('role', tableowner, true) from pg_tables where tablename = 'leases'")
        conn.execute("lock table jobplane.leases in access exclusive mode")
        pause(3 * LEASE_SECONDS)
    stage.recorder.note("mended", name="locked")
    fresh = stage.enqueue("quick", 5)
    until(lambda: stage.started(fresh) == 5, RESUME_SECONDS, "work on a table that is free")
    stage.drain(within=30)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}


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
