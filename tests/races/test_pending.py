"""The pending limit of a tenant is exact, whoever enqueues at the same time."""

from __future__ import annotations

import random
from functools import partial

import psycopg
import pytest

from tests.races.hands import App
from tests.races.stage import Stage
from tests.races.waiting import at_once

MOST = 50
QUOTA_EXCEEDED = "JP014"


@pytest.fixture
def limited(stage: Stage) -> Stage:
    stage.admin.set_tenant(stage.alice, max_pending=MOST)
    return stage


def _enqueue_until_refused(app: App, chance: random.Random) -> int:
    """Single ones and batches, some of them rolled back; how many it committed."""
    created = 0
    while True:
        got, refused = _enqueue_some(app, chance.choice([1, 1, 3, 8]))
        if got and chance.random() < 0.3:
            app.rollback()
            continue
        app.commit()
        created += got
        if refused:
            return created


def _enqueue_some(app: App, n: int) -> tuple[int, bool]:
    if n > 1:
        outcomes = [row.error_code or row.outcome for row in app.enqueue_many(n)]
        assert set(outcomes) <= {"created", "quota_exceeded"}
        return outcomes.count("created"), "quota_exceeded" in outcomes
    try:
        return int(app.enqueue().created), False
    except psycopg.Error as error:
        if error.sqlstate != QUOTA_EXCEEDED:
            raise
        app.rollback()
        return 0, True


def test_sixteen_producers_fill_the_limit_exactly(limited: Stage) -> None:
    apps = [limited.app(in_transaction=True) for _ in range(16)]

    created = at_once([partial(_enqueue_until_refused, app, random.Random(n)) for n, app in enumerate(apps)])

    assert sum(created) == limited.count("ready") == MOST


def test_the_limit_holds_while_jobs_move_between_states(limited: Stage) -> None:
    apps, worker = [limited.app(in_transaction=True) for _ in range(6)], limited.worker()
    over: list[int] = []

    def move() -> int:
        chance = random.Random(1)
        for _ in range(150):
            leases = worker.claim(chance.choice([1, 10]))
            worker.settle(leases, [chance.choice(["succeeded", "failed", "released"]) for _ in leases])
            worker.call("promote")
            over.append(limited.probe.run(PENDING)[0][0])
        return 0

    at_once([move, *(partial(_enqueue_until_refused, app, random.Random(n)) for n, app in enumerate(apps))])

    assert max(over) <= MOST


PENDING = """select (select count(*) from jobplane.ready) + (select count(*) from jobplane.held)
  + (select count(*) from jobplane.upcoming) + (select count(*) from jobplane.leases)"""


def test_who_stands_in_line_too_long_is_told_that_the_tenant_is_busy(limited: Stage) -> None:
    first, second = limited.app(in_transaction=True), limited.app()
    first.enqueue()
    second.conn.execute("set lock_timeout = '50ms'")

    with pytest.raises(psycopg.Error) as caught:
        second.enqueue()

    assert caught.value.sqlstate == "JP015"
    assert second.run("show lock_timeout") == [("50ms",)]
    first.rollback()
    assert second.enqueue().created


def test_another_tenant_does_not_stand_in_that_line(limited: Stage) -> None:
    limited.app(in_transaction=True).enqueue()
    charlie = limited.app(limited.charlie)
    charlie.conn.execute("set lock_timeout = '50ms'")

    assert charlie.enqueue().created


def test_a_refused_row_holds_no_key(limited: Stage) -> None:
    app, other = limited.app(in_transaction=True), limited.app()
    other.enqueue_many(MOST)
    rows = app.enqueue_many(1, dedupe_keys=["k"], idempotency_keys=["k"])
    assert [row.error_code for row in rows] == ["quota_exceeded"]
    app.commit()
    worker = limited.worker()
    worker.settle(worker.claim(1))

    assert other.enqueue(dedupe_key="k", idempotency_key="k").created


def test_retries_stand_in_the_same_line(limited: Stage) -> None:
    apps, worker = [limited.app() for _ in range(4)], limited.worker()
    dead = [row.job_id for row in apps[0].enqueue_many(20, max_attempts=[1] * 20) if row.job_id]
    worker.settle(worker.claim(20), "failed")
    apps[0].enqueue_many(MOST - 5)

    answers = at_once([lambda n=n: [apps[n].retry(job) for job in dead[n::4]] for n in range(4)])

    assert sum(each.count("queued") for each in answers) == 5
    assert sum(each.count("quota_exceeded") for each in answers) == 15


def test_at_repeatable_read_the_limit_is_not_exceeded(limited: Stage) -> None:
    app = limited.app(in_transaction=True)
    app.conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    app.run("select 1 from jobplane.queues")
    limited.app().enqueue_many(MOST)

    with pytest.raises(psycopg.Error):
        app.enqueue()
    app.rollback()

    assert limited.count("ready") == MOST
