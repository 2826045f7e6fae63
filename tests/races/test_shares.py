"""A tenant's part of what a queue hands out follows its weight, not the number of its producers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from tests.races.hands import App
from tests.races.stage import Stage
from tests.races.waiting import at_once

Produce = Callable[[App, int], None]


def _one_by_one(app: App, n: int) -> None:
    """Each in a transaction that stays open for a moment, so that producers do not see each other."""
    for _ in range(n):
        app.enqueue()
        time.sleep(0.001)
        app.commit()


def _in_batches(app: App, n: int) -> None:
    for _ in range(n // 100):
        app.enqueue_many(100)
        time.sleep(0.001)
        app.commit()


def _share(stage: Stage, produce: Produce, *, jobs: int, producers: int) -> float:
    """alice's part of the first half, when her producers and charlie's one have enqueued as many jobs each."""
    alices = [stage.app(in_transaction=True) for _ in range(producers)]
    charlie = stage.app(stage.charlie, in_transaction=True)
    at_once([partial(produce, charlie, jobs), *(partial(produce, app, jobs // producers) for app in alices)])
    assert stage.count("ready") == 2 * jobs
    return _alices_part(stage, jobs)


def _alices_part(stage: Stage, jobs: int) -> float:
    worker, got = stage.worker(), Counter[object]()
    while got.total() < jobs:
        got.update(lease.tenant_id for lease in worker.claim(min(100, jobs - got.total())))
    return got[stage.alice] / jobs


def _assert_about(share: float, wanted: float, tolerance: float) -> None:
    assert abs(share - wanted) <= tolerance * wanted, (
        f"alice's share is {share:.3f}, wanted {wanted} within {tolerance:.0%}"
    )


@pytest.mark.parametrize("producers", [1, 20])
def test_twenty_producers_get_no_more_than_one(stage: Stage, producers: int) -> None:
    _assert_about(_share(stage, _one_by_one, jobs=800, producers=producers), 0.5, 0.05)


@pytest.mark.parametrize("producers", [4, 20])
def test_producers_of_batches_get_no_more_than_one(stage: Stage, producers: int) -> None:
    """Batches that are in flight at once leave room for neighbours of their size, at their own tenant's expense."""
    share = _share(stage, _in_batches, jobs=8000, producers=producers)

    assert 0.4 <= share <= 0.55, share


def test_a_tenant_of_weight_three_gets_three_quarters(stage: Stage) -> None:
    stage.admin.set_tenant(stage.alice, weight=3)
    _assert_about(_share(stage, _one_by_one, jobs=800, producers=20), 0.75, 0.05)


@pytest.mark.parametrize("producers", [1, 8])
def test_a_tenant_that_fills_another_queue_too_keeps_its_share(stage: Stage, producers: int) -> None:
    stage.admin.run("select jobplane.put_queues('{other}')")
    stage.admin.define("aside", queue="other")

    def produce(app: App, n: int) -> None:
        for _ in range(n):
            app.enqueue()
            if app.tenant == str(stage.alice):
                app.enqueue_many(5, "aside")
            time.sleep(0.001)
            app.commit()

    alices = [stage.app(in_transaction=True) for _ in range(producers)]
    charlie = stage.app(stage.charlie, in_transaction=True)
    at_once([partial(produce, charlie, 480), *(partial(produce, app, 480 // producers) for app in alices)])

    _assert_about(_alices_part(stage, 480), 0.5, 0.05)


def test_a_batch_left_open_costs_its_tenant_no_share(stage: Stage) -> None:
    forgotten = stage.app(in_transaction=True)
    forgotten.enqueue_many(100)

    _assert_about(_share(stage, _in_batches, jobs=4000, producers=1), 0.5, 0.1)


def test_a_large_batch_beside_small_ones_in_flight_costs_its_tenant_no_share(stage: Stage) -> None:
    small = [stage.app(in_transaction=True) for _ in range(5)]
    for app in small:
        app.enqueue_many(16)
    stage.app().enqueue_many(4000)
    for app in small:
        app.commit()
    stage.app(stage.charlie).enqueue_many(4080)

    _assert_about(_alices_part(stage, 4080), 0.5, 0.1)


def test_batches_that_roll_back_cost_their_tenant_no_share(stage: Stage) -> None:
    rolled_back = [stage.app(in_transaction=True) for _ in range(10)]
    for app in rolled_back:
        app.enqueue_many(100)
    stage.app().enqueue_many(100)
    for app in rolled_back:
        app.rollback()
    for _ in range(29):
        stage.app().enqueue_many(100)
    stage.app(stage.charlie).enqueue_many(3000)

    _assert_about(_alices_part(stage, 3000), 0.5, 0.1)


def test_a_new_tenants_first_job_starts_within_one_job_of_each_tenant(stage: Stage) -> None:
    tenants = [stage.admin.tenant(f"t{n}") for n in range(8)]
    for tenant in tenants:
        stage.app(tenant).enqueue_many(500)
    worker = stage.worker()
    worker.claim(400)
    late = stage.app(stage.charlie).enqueue().job_id

    assert late in {lease.job_id for lease in worker.claim(len(tenants) + 1)}
