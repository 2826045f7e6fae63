"""The retention beside everybody else: a job goes whole or not at all, and never while somebody brings it back."""

from __future__ import annotations

import random
import threading
from collections import Counter
from functools import partial
from typing import Final
from uuid import UUID

import pytest

from tests.races.hands import Hand
from tests.races.stage import Stage
from tests.races.waiting import at_once

ROUNDS: Final = 150
_PRUNE: Final = "select sum(jobs)::int from jobplane.prune_jobs(p_retention_days => %s, p_retention_count => %s)"
_ORPHANS: Final = """
select '{table}', seq from jobplane.{table} where seq not in (select seq from jobplane.jobs)
"""
_PARTS: Final = ("endings", "attempts", "results", "receipts", "dedupe", "leases", "ready", "upcoming", "logs")


def pruner(stage: Stage, *, in_transaction: bool = False) -> Hand:
    conn = stage.db.connect("scheduler")
    conn.execute("set lock_timeout = '10s'")
    conn.autocommit = not in_transaction
    return Hand(conn)


def prune(hand: Hand, days: int = 0, count: int | None = None) -> int:
    """One step; how many jobs went."""
    return hand.run(_PRUNE, days, count)[0][0] or 0


def ended(stage: Stage, outcome: str = "fatal", **options: object) -> UUID:
    job = stage.app().enqueue(**options).job_id
    worker = stage.worker()
    assert [settled.accepted for settled in worker.settle(worker.claim(), outcome)] == [True]
    return job


def test_a_job_that_is_being_retried_stays(stage: Stage) -> None:
    job, person, hand = ended(stage), stage.app(in_transaction=True), pruner(stage)
    assert person.retry(job) == "queued"

    assert prune(hand) == 0

    person.commit()
    assert stage.status(job) == "upcoming"
    assert prune(hand) == 0


def test_a_retry_that_rolls_back_leaves_the_job_to_the_next_step(stage: Stage) -> None:
    job, person, hand = ended(stage), stage.app(in_transaction=True), pruner(stage)
    assert person.retry(job) == "queued"
    assert prune(hand) == 0
    person.rollback()

    assert prune(hand) == 1


@pytest.mark.parametrize("commits", [True, False])
def test_a_retry_waits_for_a_step_and_finds_the_job_or_nothing(stage: Stage, *, commits: bool) -> None:
    job, person, hand = ended(stage), stage.app(), pruner(stage, in_transaction=True)
    assert prune(hand) == 1
    retry = stage.later(person, lambda: person.retry(job))
    assert retry.waits()

    hand.commit() if commits else hand.rollback()

    assert retry.answer() == ("not_found" if commits else "queued")


@pytest.mark.parametrize("commits", [True, False])
def test_an_idempotency_key_is_free_when_its_job_has_gone(stage: Stage, *, commits: bool) -> None:
    job, app, hand = ended(stage, idempotency_key="i"), stage.app(), pruner(stage, in_transaction=True)
    assert prune(hand) == 1
    again = stage.later(app, lambda: app.enqueue(idempotency_key="i"))
    assert again.waits()

    hand.commit() if commits else hand.rollback()

    answer = again.answer()
    assert (answer.created, answer.job_id == job) == (commits, not commits)


def test_two_steps_at_once_share_the_jobs(stage: Stage) -> None:
    for _ in range(20):
        ended(stage)
    first, second = pruner(stage, in_transaction=True), pruner(stage)

    assert prune(first, 0) == 20
    assert prune(second, 0) == 0

    first.rollback()
    assert sum(at_once([partial(prune, pruner(stage)) for _ in range(3)])) == 20


def test_a_step_waits_for_nobody(stage: Stage) -> None:
    """An application keeps its transaction open in which it has met, changed and canceled jobs."""
    gone = ended(stage, idempotency_key="gone")
    retried, hand = ended(stage), pruner(stage)
    hand.run("select set_config('lock_timeout', '50ms', false)")
    app = stage.app(in_transaction=True)
    waiting = stage.app().enqueue(dedupe_key="k").job_id
    app.enqueue(dedupe_key="k", idempotency_key="met")
    app.enqueue(idempotency_key="gone")
    app.cancel(waiting)
    app.retry(retried)

    assert prune(hand) == 1

    app.commit()
    assert stage.count("jobs", f"id = '{gone}'") == 0


@pytest.mark.timeout(120)
def test_the_retention_beside_everything_leaves_no_half_of_a_job(stage: Stage) -> None:
    """Applications enqueue with keys, cancel and retry; workers claim and settle; two walks remove what has ended."""
    done, made = threading.Event(), list[UUID]()

    def use(seed: int) -> Counter[str]:
        app, chance, answers = stage.app(), random.Random(seed), Counter[str]()
        for _ in range(ROUNDS):
            keys = {"idempotency_key": f"i{chance.randrange(30)}", "dedupe_key": f"k{chance.randrange(20)}"}
            chosen = chance.choice([{}, *({key: value} for key, value in keys.items()), keys])
            answer = app.enqueue(max_attempts=2, on_duplicate=chance.choice(["return", "replace"]), **chosen)
            assert answer.job_id is not None
            made.append(answer.job_id)
            target = chance.choice(made[-40:])
            move = chance.choice([app.retry, app.cancel, app.reschedule])
            answers[f"{move.__name__} {move(target)}"] += 1
        return answers

    def work(seed: int) -> Counter[str]:
        worker, chance = stage.worker(), random.Random(seed)
        while not done.is_set():
            leases = worker.claim(chance.choice([1, 5]))
            worker.settle(leases, [chance.choice(["succeeded", "failed", "fatal"]) for _ in leases])
            worker.call("promote")
        return Counter()

    def tidy(count: int) -> Counter[str]:
        hand, gone = pruner(stage), Counter[str]()
        while not done.is_set():
            gone["gone"] += prune(hand, 30, count)
            hand.run("select * from jobplane.prune_receipts()")
            hand.run("select * from jobplane.prune_lines(p_retention_days => 0)")
        return gone

    def use_all() -> Counter[str]:
        answers = at_once([lambda seed=seed: use(seed) for seed in range(3)])
        done.set()
        return sum(answers, Counter[str]())

    answers, *_, first, second = at_once([use_all, lambda: work(7), lambda: work(8), lambda: tidy(4), lambda: tidy(8)])

    assert first["gone"] + second["gone"] > 50
    assert {"retry queued", "retry not_found", "cancel not_found"} <= set(answers), answers
    hand = pruner(stage)
    hand.run("select * from jobplane.prune_receipts()")
    assert [row for table in _PARTS for row in stage.probe.run(_ORPHANS.format(table=table))] == []
    faults = "select seq from jobplane.dedupe where seq in (select seq from jobplane.endings)"
    assert stage.probe.run(faults) == []
