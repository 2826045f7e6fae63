"""The database goes away and comes back: nobody leaves, nothing is spent, and work goes on within seconds."""

from __future__ import annotations

import time
from itertools import count, takewhile
from typing import Final

import pytest

from tests.faults.load import Load
from tests.faults.servers import OwnServer
from tests.faults.sizes import in_full, size
from tests.faults.stage import Stage
from tests.faults.waiting import pause, until
from tests.faults.workers import LEASE_SECONDS

on_own_server = pytest.mark.parametrize("place", ["own"], indirect=True)
RESTARTING_SECONDS: Final = size(8, 900)
BETWEEN_SECONDS: Final = size((0.5, 1.5), (5, 40))
BACK_SECONDS: Final = 10.0
LONG_LEASE: Final = 20  # half of it is longer than a server needs to start
CONNECTIONS: Final = 4  # of a worker, whatever its slots
KILLING_ROUNDS: Final = size(10, 1500)
SERVED: Final = size(0.5, 0.8)  # while backends are killed; of one second, and of five minutes
LOOK_SECONDS: Final = size(1.0, 10.0)
LATER_SECONDS: Final = 1.0  # some of the load is for half a second later


def _works_again(stage: Stage) -> None:
    fresh = stage.insist("quick", 5)
    until(lambda: stage.started(fresh) == len(fresh), BACK_SECONDS, "work on a database that is back")


@pytest.mark.timeout(RESTARTING_SECONDS + 300)
@on_own_server
def test_a_database_that_restarts_every_few_seconds_costs_no_attempt(stage: Stage, server: OwnServer) -> None:
    workers = stage.ready_workers(2)

    with Load(stage, "nap", seconds=0.1):
        until_at = time.monotonic() + RESTARTING_SECONDS
        for restart in takewhile(lambda _: time.monotonic() < until_at, count()):
            pause(stage.dice.uniform(*BETWEEN_SECONDS))
            name = f"crash {restart}" if restart % 2 else f"outage {restart}"
            stage.recorder.note("broken", name=name)
            server.crash() if restart % 2 else server.stop()
            pause(stage.dice.uniform(0, 2))
            server.start()
            _works_again(stage)
            stage.recorder.note("mended", name=name)
        healed_at = time.monotonic()
        pause(LOOK_SECONDS + LATER_SECONDS)
        served = stage.served(healed_at, healed_at + LOOK_SECONDS)
    stage.drain(within=40)

    assert served >= 0.95
    assert all(worker.process.poll() is None for worker in workers)
    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} <= {"succeeded", "released"}


@on_own_server
def test_killed_backends_cost_no_attempt(stage: Stage, server: OwnServer) -> None:
    worker = stage.ready_worker(worker_concurrency="100")

    with server.admin() as admin, Load(stage, "nap", seconds=0.1):
        until(lambda: stage.started() > 20, 10, "a busy worker")
        assert server.connections(admin) <= CONNECTIONS
        stage.recorder.note("broken", name="backends killed")
        killed, began_at = 0, time.monotonic()
        for _ in range(KILLING_ROUNDS):
            killed += server.end_backends(admin)
            pause(0.2)
        served = stage.served(began_at, time.monotonic() - LATER_SECONDS)
        stage.recorder.note("mended", name="backends killed")
    stage.drain(within=30)

    assert killed >= KILLING_ROUNDS
    assert served >= SERVED
    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} <= {"succeeded", "released"}


@in_full
@on_own_server
def test_half_a_lease_without_a_database_stops_nothing(stage: Stage, server: OwnServer) -> None:
    stage.ready_worker(worker_concurrency="50", lease_seconds=str(LONG_LEASE))
    stage.enqueue("nap", 50, max_attempts=1, seconds=LONG_LEASE)
    until(lambda: stage.started() == 50, 30, "their start")

    server.stop()
    pause(0.4 * LONG_LEASE)
    server.start()
    stage.drain(within=60)

    assert [attempt.outcome for attempt in stage.attempts()] == ["succeeded"] * 50


@in_full
@on_own_server
def test_two_leases_without_a_database_stop_and_refund_everything(stage: Stage, server: OwnServer) -> None:
    stage.ready_worker(worker_concurrency="50")
    stage.enqueue("nap", 50, max_attempts=1, seconds=30, again=0.1)
    until(lambda: stage.started() == 50, 30, "their start")

    stage.recorder.note("broken", name="outage")
    server.stop()
    pause(2 * LEASE_SECONDS)
    server.start()
    _works_again(stage)
    stage.recorder.note("mended", name="outage")
    stage.drain(within=40)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert len(stage.attempts("released")) == 50
    assert stage.recorder.count("start") == 105


@in_full
@on_own_server
def test_what_goes_on_without_contact_is_not_run_again(stage: Stage, server: OwnServer) -> None:
    stage.ready_worker()
    stage.enqueue("lasting", 4, max_attempts=1, seconds=4 * LEASE_SECONDS)
    until(lambda: stage.started() == 4, 30, "their start")

    stage.recorder.note("broken", name="outage")
    server.stop()
    pause(2 * LEASE_SECONDS)
    server.start()
    stage.recorder.note("mended", name="outage")
    stage.drain(within=40)

    assert [attempt.outcome for attempt in stage.attempts()] == ["succeeded"] * 4
