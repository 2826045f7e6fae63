"""Verbs that need several locks never close a circle, whatever order their rows come in."""

from __future__ import annotations

from functools import partial
from uuid import UUID

from tests.races.hands import App
from tests.races.stage import Stage
from tests.races.waiting import at_once


def _tenant(stage: Stage, letter: str, **limits: int) -> UUID:
    """One whose limit's key sorts by its letter."""
    fixed = UUID(f"{letter * 8}-0000-7000-8000-000000000000")
    named = "".join(f", p_{name} => {value}" for name, value in limits.items())
    stage.admin.run(f"select jobplane.create_tenant(%s, p_tenant_id => %s{named})", f"tenant-{letter}", fixed)
    return fixed


def test_claims_that_make_new_limit_rows_do_not_deadlock(stage: Stage) -> None:
    a, b, c, d = (stage.app(_tenant(stage, letter, max_in_flight=50)) for letter in "abcd")
    keeper_b, keeper_d = stage.worker(in_transaction=True), stage.worker(in_transaction=True)
    one, other, quick = stage.worker(), stage.worker(), stage.worker()
    for app, keeper in ((b, keeper_b), (d, keeper_d)):  # their rows exist and are taken; a's and c's do not exist
        app.enqueue()
        quick.settle(quick.claim())
        app.enqueue()
        keeper.claim()
    for app in (a, b, c):
        app.enqueue()
    first = stage.later(one, partial(one.claim, 3))
    assert first.waits()  # for b
    c.enqueue()
    makes_c = stage.later(quick, quick.claim)
    makes_c.waits(0.2)
    for app in (a, c, d):
        app.enqueue()
    second = stage.later(other, partial(other.claim, 3))
    assert second.waits()  # for d, or for a
    keeper_b.commit()
    first.waits(0.2)
    keeper_d.commit()

    assert [len(claim.answer()) for claim in (first, makes_c, second)] == [3, 1, 3]


def test_a_claim_that_meets_a_paused_tenant_and_a_settle_do_not_deadlock(stage: Stage) -> None:
    a, z = _tenant(stage, "a", max_in_flight=50), _tenant(stage, "b", max_in_flight=50)
    app_a, app_z = stage.app(a), stage.app(z)
    settler, claimer, keeper = stage.worker(), stage.worker(), stage.worker(in_transaction=True)
    app_a.enqueue()
    app_z.enqueue()
    leases = settler.claim(2)
    stage.admin.run("select jobplane.pause_tenants(%s)", [a])
    app_z.enqueue()
    keeper.claim()
    app_a.enqueue()
    app_z.enqueue()
    claim = stage.later(claimer, partial(claimer.claim, 2))
    assert claim.waits()  # for z
    settle = stage.later(settler, partial(settler.settle, leases))
    assert settle.waits()  # for z, too; it has a

    keeper.commit()

    assert len(claim.answer()) == 1
    assert [s.accepted for s in settle.answer()] == [True, True]


def test_claims_that_open_a_new_priority_and_need_one_limit_do_not_deadlock(stage: Stage) -> None:
    stage.admin.define("e", max_running=50)
    keeper, one, other = stage.worker(in_transaction=True), stage.worker(), stage.worker()
    app = stage.app()
    app.enqueue("e")
    keeper.claim()
    app.enqueue("e")
    first = stage.later(one, partial(one.claim, 2))
    assert first.waits()  # for the limit, with the one row that it knows of
    app.enqueue("e", priority=5)
    second = stage.later(other, partial(other.claim, 2))
    assert second.waits()  # for the limit too; it has opened the priority

    keeper.commit()

    assert sum(len(claim.answer()) for claim in (first, second)) == 2


def _keyed(app: App, dedupe: str, idempotency: str | None = None) -> list[str]:
    """A batch of one letter for each row's keys; the outcomes."""
    columns: dict[str, list[str]] = {"dedupe_keys": list(dedupe)}
    if idempotency:
        columns["idempotency_keys"] = list(idempotency)
    return [row.outcome for row in app.enqueue_many(len(dedupe), **columns)]


def test_batches_with_the_same_keys_in_another_order_do_not_deadlock(stage: Stage) -> None:
    hands = [stage.app() for _ in range(4)]
    for _ in range(10):
        orders = ["abcdefgh", "hgfedcba", "dcbahgfe", "efghabcd"]
        at_once([partial(_keyed, hand, order) for hand, order in zip(hands, orders, strict=True)])
        worker = stage.worker()
        worker.settle(worker.claim(100))


def test_batches_with_two_kinds_of_keys_do_not_deadlock(stage: Stage) -> None:
    keeper, one, other = stage.app(in_transaction=True), stage.app(), stage.app()
    _keyed(keeper, "x")
    first = stage.later(one, partial(_keyed, one, "bxa", "123"))
    assert first.waits()  # for x
    second = stage.later(other, partial(_keyed, other, "ab", "45"))
    second.waits(0.2)

    keeper.rollback()

    answers = [first.answer(), second.answer()]
    assert sorted(answers) == sorted([["created"] * 3, ["existing"] * 2]) or answers[0].count("existing") > 0


def test_an_enqueue_and_a_retry_of_one_key_under_a_pending_limit_do_not_deadlock(stage: Stage) -> None:
    keeper, one, other = stage.app(in_transaction=True), stage.app(), stage.app()
    worker = stage.worker()
    dead = other.enqueue(dedupe_key="a", max_attempts=1).job_id
    worker.settle(worker.claim(), "failed")
    keeper.enqueue(dedupe_key="b")
    stage.admin.set_tenant(stage.alice, max_pending=50)
    enqueue = stage.later(one, partial(_keyed, one, "ab"))
    assert enqueue.waits()  # for b
    retry = stage.later(other, partial(other.retry, dead))
    retry.waits(0.2)

    keeper.rollback()

    assert enqueue.answer() in (["created", "created"], ["existing", "created"])
    assert retry.answer() in ("duplicate_job", "queued")


def test_an_application_that_stands_in_line_may_use_a_key_that_another_wants(stage: Stage) -> None:
    stage.admin.set_tenant(stage.alice, max_pending=50)
    app, other = stage.app(in_transaction=True), stage.app()
    app.enqueue()
    waiting = stage.later(other, partial(other.enqueue, dedupe_key="k"))
    assert waiting.waits()

    mine = app.enqueue(dedupe_key="k")
    app.commit()

    assert mine.created
    assert waiting.answer()[:2] == (mine.job_id, False)


def test_two_retries_of_one_job_under_a_pending_limit_do_not_deadlock(stage: Stage) -> None:
    app, other, worker = stage.app(in_transaction=True), stage.app(), stage.worker()
    dead = other.enqueue(max_attempts=1).job_id
    worker.settle(worker.claim(), "failed")
    stage.admin.set_tenant(stage.alice, max_pending=50)
    app.enqueue()
    waiting = stage.later(other, partial(other.retry, dead))
    assert waiting.waits()

    assert app.retry(dead) == "queued"
    app.commit()

    assert waiting.answer() == "illegal_move"
