"""A database that can be read and not written: a standby before it is promoted, or one that somebody has closed."""

from __future__ import annotations

import os
import shutil
import signal
from typing import Final

import psycopg
import pytest

from tests.database import Database
from tests.faults.load import Load
from tests.faults.servers import OwnServer
from tests.faults.sizes import on_postgres, size
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.faults.workers import LEASE_SECONDS

on_own_server = pytest.mark.parametrize("place", ["own"], indirect=True)
FAILOVERS: Final = size(1, 4)
READ_ONLY_SECONDS: Final = size(1.0, 1.5 * LEASE_SECONDS)
BACK_SECONDS: Final = 10.0
_ENDED: Final = """
select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity
 where datname = current_database() and usename = 'jobplane_worker'
"""


def _demote(server: OwnServer, *, crashes: bool) -> None:
    """Come back under the same address as a standby: it replays what there is, answers, and writes nothing."""
    server.crash() if crashes else server.stop()
    _mark(server, "standby.signal")
    server.start()


def _promote(server: OwnServer) -> None:
    _mark(server, "promote")
    os.kill(int((server.server.data_dir / "postmaster.pid").read_text().splitlines()[0]), signal.SIGUSR1)
    until(lambda: not _is_standby(server), PATIENCE, "the promotion")


def _mark(server: OwnServer, name: str) -> None:
    path = server.server.data_dir / name
    path.touch()
    shutil.chown(path, server.server.os_user)


def _is_standby(server: OwnServer) -> bool:
    return server.database.peek("select pg_is_in_recovery()")[0][0]


def _works_again(stage: Stage) -> None:
    assert stage.start_delay(stage.insist("quick", 5)) <= BACK_SECONDS


@on_own_server
def test_a_failover_to_a_standby_loses_nothing(stage: Stage, server: OwnServer) -> None:
    worker = stage.ready_worker()

    with Load(stage, "nap", seconds=0.1):
        until(lambda: stage.started() > 10, PATIENCE, "a busy worker")
        for number in range(FAILOVERS):
            name = f"failover {number}"
            stage.recorder.note("broken", name=name)
            _demote(server, crashes=bool(number % 2))
            assert _is_standby(server)
            pause(READ_ONLY_SECONDS)
            _promote(server)
            _works_again(stage)
            stage.recorder.note("mended", name=name)
    stage.drain(within=60)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} <= {"succeeded", "released"}


@on_postgres
def test_a_database_that_is_closed_for_writes_is_waited_for(stage: Stage, db: Database) -> None:
    worker = stage.ready_worker(log_level="debug")

    with Load(stage, "nap", seconds=0.1):
        until(lambda: stage.started() > 10, PATIENCE, "a busy worker")
        stage.recorder.note("broken", name="read-only")
        db.own(f"alter database {db.name} set default_transaction_read_only = on")
        _end_backends(db)
        until(lambda: "in a read-only transaction" in worker.log(), PATIENCE, "a word about it")
        pause(READ_ONLY_SECONDS)
        db.own(f"set transaction read write; alter database {db.name} reset default_transaction_read_only")
        _end_backends(db)
        _works_again(stage)
        stage.recorder.note("mended", name="read-only")
    stage.drain(within=60)

    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} <= {"succeeded", "released"}


def _end_backends(db: Database) -> None:
    """A connection keeps the setting that it began with."""
    with psycopg.connect(db.url("owner", direct=True)) as conn:
        conn.execute("set local role pg_signal_backend")
        conn.execute(_ENDED.encode())
