"""A limit is exact, whoever claims, settles or changes it at the same time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import UUID

import pytest

from tests.races.hands import Admin, Worker
from tests.races.stage import Stage
from tests.races.waiting import at_once


def _definition(admin: Admin, tenant: UUID, most: int) -> None:
    admin.define("d", max_running=most)


def _in_flight(admin: Admin, tenant: UUID, most: int) -> None:
    admin.set_tenant(tenant, max_in_flight=most)


def _definition_and_tenant(admin: Admin, tenant: UUID, most: int) -> None:
    admin.define("d", max_running_per_tenant=most)


KINDS = pytest.mark.parametrize(
    "limit",
    [_definition, _in_flight, _definition_and_tenant],
    ids=["max_running", "max_in_flight", "max_running_per_tenant"],
)
Limit = Callable[[Admin, UUID, int], None]


@KINDS
def test_with_a_limit_of_one_the_second_claimer_gets_nothing(stage: Stage, limit: Limit) -> None:
    limit(stage.admin, stage.alice, 1)
    stage.app().enqueue_many(2)
    first, second = stage.worker(in_transaction=True), stage.worker()
    leases = first.claim()
    claim = stage.later(second, partial(second.claim, 2))
    assert claim.waits()

    first.commit()

    assert (len(leases), claim.answer()) == (1, [])
    assert stage.count("held") == 1
    first.settle(leases)
    first.commit()
    assert len(second.claim(2)) == 1


@KINDS
def test_with_a_limit_of_one_a_claim_that_rolls_back_leaves_the_slot(stage: Stage, limit: Limit) -> None:
    limit(stage.admin, stage.alice, 1)
    stage.app().enqueue_many(2)
    first, second = stage.worker(in_transaction=True), stage.worker()
    first.claim()
    claim = stage.later(second, partial(second.claim, 2))
    assert claim.waits()

    first.rollback()

    assert len(claim.answer()) == 1


@KINDS
def test_a_settle_in_flight_keeps_its_slot_until_it_commits(stage: Stage, limit: Limit) -> None:
    limit(stage.admin, stage.alice, 1)
    stage.app().enqueue_many(2)
    first, second = stage.worker(in_transaction=True), stage.worker()
    leases = first.claim()
    first.commit()
    first.settle(leases)
    claim = stage.later(second, second.claim)
    assert claim.waits()

    first.commit()

    assert len(claim.answer()) == 1


@KINDS
def test_many_claimers_never_exceed_a_limit_and_fill_it(stage: Stage, limit: Limit) -> None:
    limit(stage.admin, stage.alice, 7)
    stage.app().enqueue_many(100)

    at_once([partial(hand.claim, n) for n in (1, 3, 10, 40) for hand in (stage.worker(), stage.worker())])

    assert stage.count("leases") == 7


@KINDS
def test_a_limit_counts_what_was_claimed_before_it_was_set(stage: Stage, limit: Limit) -> None:
    stage.app().enqueue_many(10)
    worker = stage.worker()
    leases = worker.claim(4)

    limit(stage.admin, stage.alice, 5)

    assert len(worker.claim(10)) == 1
    worker.settle(leases)
    worker.call("sweep")
    assert len(worker.claim(10)) == 4


@KINDS
def test_a_limit_that_is_set_waits_for_the_claims_in_flight_and_counts_them(stage: Stage, limit: Limit) -> None:
    stage.app().enqueue_many(10)
    early, late = stage.worker(in_transaction=True), stage.worker()
    early.claim(4)
    change = stage.later(stage.admin, partial(limit, stage.admin, stage.alice, 5))
    assert change.waits()

    early.commit()
    change.answer()

    assert len(late.claim(10)) == 1


@KINDS
def test_a_limit_counts_a_lease_that_is_renewed_while_it_is_set(stage: Stage, limit: Limit) -> None:
    stage.app().enqueue_many(10)
    worker, other = stage.worker(in_transaction=True), stage.worker()
    leases = worker.claim(4)
    worker.commit()
    worker.renew(leases)
    change = stage.later(stage.admin, partial(limit, stage.admin, stage.alice, 5))
    change.waits(0.1)

    worker.commit()
    change.answer()

    assert len(other.claim(10)) <= 1


def test_two_limits_that_are_set_at_once_both_count_what_runs(stage: Stage) -> None:
    stage.app().enqueue_many(10)
    stage.app(stage.charlie).enqueue_many(10)
    worker = stage.worker()
    worker.claim(8)

    stage.admin.define("d", max_running=12, max_running_per_tenant=5)
    worker.claim(20)

    each = dict(stage.probe.run("select tenant_id, count(*) from jobplane.leases group by 1"))
    assert each == {stage.alice: 5, stage.charlie: 5}


def test_a_job_that_one_gate_shuts_takes_no_room_at_another(stage: Stage) -> None:
    stage.admin.define("wide", max_running=10)
    stage.admin.set_tenant(stage.alice, max_in_flight=2)
    stage.app().enqueue_many(20, "wide")
    stage.app(stage.charlie).enqueue_many(20, "wide")

    def claimed(worker: Worker) -> int:
        return len(worker.claim(20))

    at_once([partial(claimed, stage.worker()) for _ in range(4)])

    mine = stage.count("leases", f"tenant_id = '{stage.alice}'")
    assert (mine, stage.count("leases")) == (2, 10)
