"""Upkeep is everybody's: five at once do each row once, and none does another's."""

from __future__ import annotations

from functools import partial

import pytest

from tests.clock import Clock
from tests.races.hands import Worker
from tests.races.stage import Stage
from tests.races.waiting import at_once

ROWS = 400


def _until_nothing_is_left(worker: Worker, verb: str) -> int:
    """What it moved in small steps, until two in a row moved nothing."""
    moved = idle = 0
    while idle < 2:
        step = worker.call(verb, 17)
        moved += step
        idle = 0 if step else idle + 1
    return moved


def _all_five(stage: Stage, verb: str) -> int:
    return sum(at_once([partial(_until_nothing_is_left, stage.worker(), verb) for _ in range(5)]))


def test_five_reapers_end_each_lease_once(stage: Stage, clock: Clock) -> None:
    stage.admin.define("d", max_running=ROWS)
    stage.app().enqueue_many(ROWS)
    stage.worker().claim(ROWS)
    clock.advance(31)

    assert _all_five(stage, "reap") == ROWS
    assert stage.count("attempts", "outcome = 'lost'") == stage.count("upcoming") == ROWS
    assert stage.probe.run("select used from jobplane.limits") == [(0,)]


def test_five_promoters_bring_each_job_once(stage: Stage, clock: Clock) -> None:
    stage.app().enqueue_many(ROWS, delays=[5.0] * ROWS)
    clock.advance(10)

    assert _all_five(stage, "promote") == ROWS
    assert (stage.count("ready"), stage.count("upcoming")) == (ROWS, 0)


@pytest.mark.parametrize("gate", ["tenant", "definition"])
def test_five_sweepers_let_each_held_job_back_once(stage: Stage, gate: str) -> None:
    stage.admin.set_tenant(stage.alice, max_in_flight=0 if gate == "tenant" else None)
    stage.admin.define("d", max_running=0 if gate == "definition" else None)
    stage.app().enqueue_many(ROWS)
    worker = stage.worker()
    while stage.count("held") < ROWS:
        assert worker.claim(40) == []
    stage.admin.set_tenant(stage.alice, max_in_flight=None)
    stage.probe.run("update jobplane.definitions set max_running = null where key = 'd' returning 1")

    assert _all_five(stage, "sweep") == ROWS
    assert stage.count("ready") == ROWS


def test_five_at_once_expire_each_job_once(stage: Stage, clock: Clock) -> None:
    stage.app().enqueue_many(ROWS, expires_ats=["2026-01-01 12:00:10Z"] * ROWS)
    stage.worker().claim(ROWS // 4)
    clock.advance(11)

    assert _all_five(stage, "expire") == ROWS - ROWS // 4
    assert stage.endings() == {"canceled": ROWS - ROWS // 4}
    assert stage.count("expiring") == 0


def test_five_tickers_leave_no_row_behind_the_mark(stage: Stage) -> None:
    app, claimer = stage.app(), stage.worker()
    priorities = list(range(40)) * 10

    def tick(worker: Worker) -> int:
        for n in range(40):
            worker.call("tick", n % 4 == 0)
        return 0

    def claim() -> int:
        return sum(len(claimer.claim(20)) for _ in range(20))

    app.enqueue_many(ROWS, priorities=priorities)
    got, *_ = at_once([claim, *(partial(tick, stage.worker()) for _ in range(5))])
    claimer.call("tick", True)
    while leases := claimer.claim(50):
        got += len(leases)

    assert got == ROWS


def test_five_tidiers_remove_no_limit_that_a_claim_uses(stage: Stage) -> None:
    tenants = [stage.admin.tenant(f"t{n}", max_in_flight=2) for n in range(6)]
    apps = [stage.app(tenant) for tenant in tenants]

    def tidy(worker: Worker) -> int:
        return sum(worker.call("tidy") for _ in range(60))

    def work(worker: Worker, n: int) -> int:
        done = 0
        for _ in range(30):
            apps[n].enqueue_many(3)
            leases = worker.claim(6)
            done += len(worker.settle(leases))
        return done

    hands = [stage.worker() for _ in range(8)]
    at_once([*(partial(tidy, hand) for hand in hands[:5]), *(partial(work, hands[5 + n], n) for n in range(3))])

    assert stage.count("limits", "used <> 0") == 0
