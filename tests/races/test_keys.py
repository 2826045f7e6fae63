"""Keys in flight: a duplicate waits for the winner, and gets what the winner became."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import UUID, uuid4

import psycopg
import pytest

from tests.races.hands import App, Enqueued
from tests.races.stage import Stage
from tests.races.waiting import at_once

Value = UUID | str

KEYS = pytest.mark.parametrize("key", ["dedupe_key", "idempotency_key", "id"])


def _value(key: str) -> Value:
    return uuid4() if key == "id" else str(uuid4())


def _twin(app: App, key: str, value: Value) -> Callable[[], Enqueued]:
    return lambda: app.enqueue(**{key: value})


@KEYS
def test_a_duplicate_that_waited_for_the_winner_gets_the_winners_job(stage: Stage, key: str) -> None:
    winner, app, value = stage.app(in_transaction=True), stage.app(), _value(key)
    job = _twin(winner, key, value)().job_id
    twin = stage.later(app, _twin(app, key, value))
    assert twin.waits()

    winner.commit()

    assert twin.answer() == Enqueued(job, False, "existing")
    assert stage.count("jobs") == 1


@KEYS
def test_a_duplicate_of_an_enqueue_that_rolled_back_is_created(stage: Stage, key: str) -> None:
    winner, app, value = stage.app(in_transaction=True), stage.app(), _value(key)
    _twin(winner, key, value)()
    twin = stage.later(app, _twin(app, key, value))
    assert twin.waits()

    winner.rollback()

    assert twin.answer().created
    assert stage.count("jobs") == 1


@KEYS
def test_a_duplicate_in_a_batch_sinks_no_other_row(stage: Stage, key: str) -> None:
    winner, app, value = stage.app(in_transaction=True), stage.app(), _value(key)
    job = _twin(winner, key, value)().job_id
    column = {f"{key}s": [_value(key), value, value, _value(key)]}
    batch = stage.later(app, partial(app.enqueue_many, 4, **column))
    assert batch.waits()

    winner.commit()

    answers = batch.answer()
    assert [row.outcome for row in answers] == ["created", "existing", "existing", "created"]
    assert [row.job_id for row in answers[1:3]] == [job, job]


@KEYS
def test_two_rows_of_a_batch_with_one_key_are_one_job(stage: Stage, key: str) -> None:
    value = _value(key)
    answers = stage.app().enqueue_many(3, **{f"{key}s": [value, value, _value(key)]})

    assert [row.outcome for row in answers] == ["created", "existing", "created"]
    assert answers[0].job_id == answers[1].job_id


def test_a_duplicate_that_waited_for_the_jobs_end_is_created(stage: Stage) -> None:
    app, worker = stage.app(), stage.worker(in_transaction=True)
    first = app.enqueue(dedupe_key="k")
    leases = worker.claim()
    worker.commit()
    worker.settle(leases)
    second = stage.later(app, lambda: app.enqueue(dedupe_key="k"))
    assert second.waits()

    worker.commit()

    assert second.answer().created
    assert stage.status(first.job_id) == "succeeded"


def test_a_replace_that_waited_for_a_claim_leaves_the_running_job_as_it_is(stage: Stage) -> None:
    app, worker = stage.app(), stage.worker(in_transaction=True)
    first = app.enqueue(dedupe_key="k", payload={"n": 1})
    worker.claim()
    replace = stage.later(app, lambda: app.enqueue(dedupe_key="k", payload={"n": 2}, on_duplicate="replace"))
    assert replace.waits()

    worker.commit()

    assert replace.answer() == Enqueued(first.job_id, False, "existing")
    assert stage.probe.run("select payload from jobplane.jobs") == [({"n": 1},)]


def test_a_replace_that_waited_for_the_jobs_cancel_is_created(stage: Stage) -> None:
    app, other = stage.app(), stage.app(in_transaction=True)
    first = app.enqueue(dedupe_key="k", payload={"n": 1})
    other.cancel(first.job_id)
    replace = stage.later(app, lambda: app.enqueue(dedupe_key="k", payload={"n": 2}, on_duplicate="replace"))
    assert replace.waits()

    other.commit()

    assert replace.answer().created
    assert stage.status(first.job_id) == "canceled"


def test_two_edits_of_one_job_both_last(stage: Stage) -> None:
    app, other = stage.app(), stage.app(in_transaction=True)
    job = app.enqueue(payload={"n": 1}).job_id
    other.edit(job, payload={"n": 2})
    edit = stage.later(app, lambda: app.edit(job, priority=7, tags=["x"]))
    assert edit.waits()

    other.commit()

    assert edit.answer() == "queued"
    assert stage.probe.run("select payload, priority, tags from jobplane.jobs") == [({"n": 2}, 7, ["x"])]


def test_the_same_key_with_another_payload_is_refused_in_flight_too(stage: Stage) -> None:
    winner, app = stage.app(in_transaction=True), stage.app()
    winner.enqueue(idempotency_key="k", payload={"n": 1})
    other = stage.later(app, lambda: app.enqueue(idempotency_key="k", payload={"n": 2}))
    assert other.waits()

    winner.commit()

    with pytest.raises(psycopg.Error) as caught:
        other.answer()
    assert caught.value.sqlstate == "JP007"


def test_an_unknown_definition_holds_no_key(stage: Stage) -> None:
    app, other = stage.app(in_transaction=True), stage.app()
    rows = app.enqueue_many(1, "nobody", dedupe_keys=["k"], idempotency_keys=["k"])
    assert [row.error_code for row in rows] == ["unknown_definition"]

    assert other.enqueue(dedupe_key="k", idempotency_key="k").created


@KEYS
def test_at_repeatable_read_a_duplicate_that_lost_the_race_raises(stage: Stage, key: str) -> None:
    app, other, value = stage.app(in_transaction=True), stage.app(), _value(key)
    app.conn.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    app.run("select 1 from jobplane.queues")
    _twin(other, key, value)()

    lost = psycopg.errors.UniqueViolation if key == "id" else psycopg.errors.SerializationFailure
    with pytest.raises(lost):
        _twin(app, key, value)()


@KEYS
def test_of_many_enqueues_with_one_key_one_creates(stage: Stage, key: str) -> None:
    apps = [stage.app() for _ in range(8)]
    for _ in range(10):
        answers = at_once([_twin(app, key, value) for value in [_value(key)] for app in apps])
        assert sum(answer.created for answer in answers) == 1
        assert len({answer.job_id for answer in answers}) == 1
