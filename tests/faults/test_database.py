"""The database goes away and comes back: nobody leaves, nothing is spent, and work goes on within seconds."""

from __future__ import annotations

import time
from itertools import count, takewhile
from typing import Final

import pytest

from tests.faults.load import Load
from tests.faults.servers import Connection, OwnServer
from tests.faults.sizes import size, slow
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.faults.workers import LEASE_SECONDS

on_own_server = pytest.mark.parametrize("place", ["own"], indirect=True)
RESTARTING_SECONDS: Final = size(8, 900)
BETWEEN_SECONDS: Final = size((0.5, 1.5), (5, 40))
BACK_SECONDS: Final = 10.0
LONG_LEASE: Final = 30  # what is left of it after half is longer than a server needs to start
CONNECTIONS: Final = 4  # of a worker, whatever its slots
KILLS: Final = size(10, 1500)
KILLING_SECONDS: Final = size(2.0, 300.0)
SERVED: Final = size(0.0, 0.8)  # while backends are killed; two seconds are too short for a share
SERVED_AFTER: Final = 0.95
LOOK_SECONDS: Final = size(1.0, 10.0)
LATER_SECONDS: Final = 1.0  # some of the load is for half a second later


def _works_again(stage: Stage) -> None:
    assert stage.start_delay(stage.insist("quick", 5)) <= BACK_SECONDS


def _serves_again(stage: Stage, since: float) -> bool:
    """Whether of what was enqueued for a while, after that moment, nearly all has started."""
    last = time.monotonic() - LATER_SECONDS
    first = last - LOOK_SECONDS
    return first >= since and stage.served(first, last) >= SERVED_AFTER


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
        until(lambda: _serves_again(stage, healed_at), PATIENCE, "the rate of before")
    stage.drain(within=60)

    assert all(worker.process.poll() is None for worker in workers)
    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} <= {"succeeded", "released"}


@on_own_server
def test_killed_backends_cost_no_attempt(stage: Stage, server: OwnServer) -> None:
    worker = stage.ready_worker(worker_concurrency="100")

    with server.admin() as admin, Load(stage, "nap", seconds=0.1):
        until(lambda: stage.started() > 20, PATIENCE, "a busy worker")
        assert server.connections(admin) <= CONNECTIONS
        stage.recorder.note("broken", name="backends killed")
        served = _share_served_amid_kills(stage, server, admin)
        stage.recorder.note("mended", name="backends killed")
    stage.drain(within=60)

    assert served >= SERVED
    assert worker.process.poll() is None
    assert set(stage.statuses().values()) == {"succeeded"}
    assert {attempt.outcome for attempt in stage.attempts()} <= {"succeeded", "released"}


def _share_served_amid_kills(stage: Stage, server: OwnServer, admin: Connection) -> float:
    """Kill backends five times a second, for so long and until so many are gone and work was seen between them."""
    killed, began, began_at = 0, stage.started(), time.monotonic()
    while time.monotonic() < began_at + KILLING_SECONDS or killed < KILLS or stage.started() == began:
        assert time.monotonic() < began_at + KILLING_SECONDS + PATIENCE, f"{killed} killed, {stage.started()} started"
        killed += server.end_backends(admin)
        pause(0.2)
    return stage.served(began_at, time.monotonic() - LATER_SECONDS)


@slow
@on_own_server
def test_half_a_lease_without_a_database_stops_nothing(stage: Stage, server: OwnServer) -> None:
    stage.ready_worker(worker_concurrency="50", lease_seconds=str(LONG_LEASE))
    stage.enqueue("nap", 50, max_attempts=1, seconds=LONG_LEASE)
    until(lambda: stage.started() == 50, PATIENCE, "their start")
    stage.await_renewal(LONG_LEASE)  # so that it is known what is left of each lease

    server.stop()
    pause(0.5 * LONG_LEASE)
    server.start()
    stage.drain(within=60)

    assert [attempt.outcome for attempt in stage.begun()] == ["succeeded"] * 50


@slow
@on_own_server
def test_two_leases_without_a_database_stop_and_refund_everything(stage: Stage, server: OwnServer) -> None:
    stage.ready_worker(worker_concurrency="50")
    stage.enqueue("nap", 50, max_attempts=2, seconds=600, again=0.1)
    until(lambda: stage.started() == 50, PATIENCE, "their start")

    stage.recorder.note("broken", name="outage")
    server.stop()
    pause(2 * LEASE_SECONDS)
    server.start()
    _works_again(stage)
    stage.recorder.note("mended", name="outage")
    stage.drain(within=60)

    assert set(stage.statuses().values()) == {"succeeded"}
    assert sum(attempt.outcome == "released" for attempt in stage.begun()) == 50
    assert stage.recorder.count("start") == 105


@slow
@on_own_server
def test_what_goes_on_without_contact_is_not_run_again(stage: Stage, server: OwnServer) -> None:
    stage.ready_worker()
    stage.enqueue("lasting", 4, max_attempts=1, seconds=4 * LEASE_SECONDS)
    until(lambda: stage.started() == 4, PATIENCE, "their start")

    stage.recorder.note("broken", name="outage")
    server.stop()
    pause(2 * LEASE_SECONDS)
    server.start()
    stage.recorder.note("mended", name="outage")
    stage.drain(within=60)

    assert [attempt.outcome for attempt in stage.begun()] == ["succeeded"] * 4
