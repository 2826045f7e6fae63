"""What an application leaves open in its transaction stops nobody: no verb of the engine waits for it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.clock import Clock
from tests.races.hands import App, Lease, Worker
from tests.races.stage import Stage

UPKEEP = ("reap", "promote", "sweep", "tick", "expire", "tidy")


def _running(stage: Stage, n: int = 3) -> tuple[Worker, list[Lease]]:
    """A worker that would fail where it had to wait, with leases of alice and of charlie; alice's come first."""
    stage.app().enqueue_many(n)
    stage.app(stage.charlie).enqueue_many(n)
    worker = stage.worker(never_waits=True)
    return worker, sorted(worker.claim(2 * n), key=lambda lease: lease.tenant_id != stage.alice)


def _open_cancel(stage: Stage, lease: Lease) -> App:
    app = stage.app(lease.tenant_id, in_transaction=True)
    assert app.cancel(lease.job_id) == "requested"
    return app


def test_an_open_cancel_blocks_no_renewal_of_the_other_leases(stage: Stage) -> None:
    worker, leases = _running(stage)
    _open_cancel(stage, leases[0])

    answers = worker.renew(leases)

    assert answers == {lease.seq: "busy" if lease is leases[0] else "renewed" for lease in leases}


def test_an_open_cancel_blocks_no_settle_of_the_other_leases(stage: Stage) -> None:
    worker, leases = _running(stage)
    app = _open_cancel(stage, leases[0])

    answers = worker.settle(leases, "failed")

    assert {s.seq for s in answers if s.accepted} == {lease.seq for lease in leases[1:]}
    assert [(s.accepted, s.status) for s in answers if s.seq == leases[0].seq] == [(None, "busy")]
    app.commit()
    assert [s.status for s in worker.settle(leases[:1], "failed")] == ["canceled"]


def test_an_open_cancel_blocks_no_reap_of_the_other_leases(stage: Stage, clock: Clock) -> None:
    worker, leases = _running(stage)
    app = _open_cancel(stage, leases[0])
    clock.advance(31)

    assert worker.call("reap") == len(leases) - 1

    app.commit()
    assert worker.call("reap") == 1
    assert stage.endings() == {"canceled": 1}


def test_an_open_cancel_of_a_waiting_job_blocks_no_claim_and_is_passed_over(stage: Stage) -> None:
    app, open_app = stage.app(), stage.app(in_transaction=True)
    first, second = app.enqueue().job_id, app.enqueue().job_id
    open_app.cancel(first)

    assert [lease.job_id for lease in stage.worker(never_waits=True).claim(5)] == [second]


@pytest.mark.parametrize("state", ["running", "waiting", "held"])
def test_an_open_cancel_blocks_neither_a_new_limit_nor_the_claims_behind_it(stage: Stage, state: str) -> None:
    stage.admin.set_tenant(stage.alice, max_in_flight=2 if state == "held" else 50)
    worker, leases = _running(stage)
    waiting = stage.app().enqueue().job_id
    if state == "held":
        assert worker.claim() == []
    app = stage.app(in_transaction=True)
    app.cancel(leases[0].job_id if state == "running" else waiting)
    stage.admin.conn.execute("set lock_timeout = '50ms'")

    stage.admin.set_tenant(stage.alice, max_in_flight=40)
    stage.admin.set_tenant(stage.charlie, max_in_flight=40)
    stage.admin.define("d", max_running=40, max_running_per_tenant=30)
    stage.admin.run("select jobplane.pause_tenants(%s), jobplane.pause_queues(%s)", [stage.alice], ["default"])
    stage.admin.run("select jobplane.resume_tenants(%s), jobplane.resume_queues(%s)", [stage.alice], ["default"])
    stage.app(stage.charlie).enqueue()

    assert stage.charlie in {lease.tenant_id for lease in worker.claim(5)}


def test_a_cancel_of_a_limited_job_touches_no_limit(stage: Stage) -> None:
    stage.admin.define("d", max_running=4)
    worker, leases = _running(stage)
    open_app = _open_cancel(stage, leases[0])
    open_app.cancel(stage.app().enqueue().job_id)

    assert len(worker.settle(leases[1:])) == len(leases) - 1
    assert len(worker.claim(10)) > 0


Leaves = Callable[[Stage], App]


def _enqueues(stage: Stage) -> App:
    app = stage.app(in_transaction=True)
    app.enqueue()
    app.enqueue(expires_at="2026-01-01 12:00:10Z", dedupe_key="open", idempotency_key="open", priority=3)
    app.enqueue(delay_seconds=5)
    app.enqueue_many(40)
    return app


def _retries(stage: Stage) -> App:
    closed, worker = stage.app(), stage.worker()
    dead = [closed.enqueue(max_attempts=1, dedupe_key=key).job_id for key in "ab"]
    worker.settle(worker.claim(2), "failed")
    app = stage.app(in_transaction=True)
    assert [app.retry(job) for job in dead] == ["queued", "queued"]
    return app


def _changes_what_waits(stage: Stage) -> App:
    closed = stage.app()
    jobs = [closed.enqueue(dedupe_key=key, expires_at="2026-01-01 12:00:10Z").job_id for key in "abcd"]
    app = stage.app(in_transaction=True)
    app.cancel(jobs[0])
    app.reschedule(jobs[1], 1)
    app.edit(jobs[2], priority=7, expires_at="2026-01-01 12:00:20Z")
    app.enqueue(dedupe_key="d", on_duplicate="replace", payload={"n": 1})
    return app


@pytest.mark.parametrize("leaves", [_enqueues, _retries, _changes_what_waits])
def test_an_open_transaction_blocks_no_engine_verb(stage: Stage, clock: Clock, leaves: Leaves) -> None:
    stage.admin.define("d", max_running=100)
    worker, leases = _running(stage)
    app = leaves(stage)
    stage.app(stage.charlie).enqueue_many(20, expires_ats=["2026-01-01 12:00:10Z"] * 20)

    assert set(worker.renew(leases).values()) == {"renewed"}
    assert all(s.accepted for s in worker.settle(leases[:2]))
    assert len(worker.claim(10)) == 10
    clock.advance(31)
    for verb in UPKEEP:
        worker.call(verb)
    assert stage.count("leases") == 0
    assert stage.count("endings", "reason = 'expired'") == 10
    clock.advance(1)
    assert worker.call("promote") == 14
    assert len(worker.claim(100)) == 14
    app.commit()
    clock.advance(31)
    for verb in UPKEEP:
        worker.call(verb)
