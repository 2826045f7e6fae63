"""A hundred claimers and sixty-four producers at once."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial

import pytest

from tests.races.hands import App, Lease, Worker
from tests.races.stage import Stage
from tests.races.waiting import at_once

CLAIMERS, JOBS = 100, 2000
PRODUCERS, KEYS = 64, 50


def _claim_all(worker: Worker, chance: random.Random) -> list[list[Lease]]:
    """Claim until two looks in a row found nothing, keeping to the limit asked for."""
    batches: list[list[Lease]] = []
    empty = 0
    while empty < 2:
        limit = chance.choice([1, 2, 5, 10])
        leases = worker.claim(limit)
        assert len(leases) <= limit
        empty = 0 if leases else empty + 1
        batches.append(leases)
    return batches


@pytest.mark.parametrize("limited", [False, True], ids=["open", "limited"])
def test_a_hundred_claimers_claim_each_job_once(stage: Stage, limited: bool) -> None:
    stage.admin.define("d", max_running=JOBS if limited else None)
    for tenant in (stage.alice, stage.charlie):
        stage.app(tenant).enqueue_many(JOBS // 2)
    workers = [stage.worker() for _ in range(CLAIMERS)]

    claimed = at_once([partial(_claim_all, worker, random.Random(n)) for n, worker in enumerate(workers)])

    rest = _claim_all(workers[0], random.Random())  # what was locked by somebody while everybody looked
    times = Counter(lease.seq for batches in [*claimed, rest] for batch in batches for lease in batch)
    assert len(times) == JOBS
    assert set(times.values()) == {1}
    assert stage.count("leases") == JOBS


@pytest.mark.parametrize("key", ["dedupe_key", "idempotency_key"])
def test_of_sixty_four_enqueues_of_one_key_one_is_kept_though_winners_roll_back(stage: Stage, key: str) -> None:
    apps = [stage.app(in_transaction=True) for _ in range(PRODUCERS)]

    def produce(n: int) -> list[tuple[str, object]]:
        app, chance = apps[n], random.Random(n)
        kept: list[tuple[str, object]] = []
        for number in range(KEYS):
            answer = app.enqueue(**{key: f"k{number}"})
            if answer.created and chance.random() < 0.25:
                app.rollback()
            else:
                app.commit()
                kept.append((f"k{number}", answer.job_id))
        return kept

    answers = set[tuple[str, object]]().union(*at_once([partial(produce, n) for n in range(PRODUCERS)]))

    rows = stage.probe.run(f"select {key}, id from jobplane.jobs")
    assert len(rows) == len(answers) == KEYS, "one row for each key"
    assert set(rows) == answers, "everybody who committed got that row"


def test_of_many_batches_with_the_same_keys_each_key_is_kept_once(stage: Stage) -> None:
    apps: list[App] = [stage.app(in_transaction=True) for _ in range(16)]

    def produce(n: int) -> int:
        app, chance, created = apps[n], random.Random(n), 0
        for first in range(0, KEYS, 10):
            keys = chance.sample([f"k{number}" for number in range(first, first + 10)], 10)
            outcomes = [row.outcome for row in app.enqueue_many(10, dedupe_keys=keys)]
            if chance.random() < 0.25:
                app.rollback()
            else:
                app.commit()
                created += outcomes.count("created")
            assert set(outcomes) <= {"created", "existing"}
        return created

    created = sum(at_once([partial(produce, n) for n in range(16)]))

    rows = stage.probe.run("select dedupe_key from jobplane.jobs")
    assert created == len(rows) == len(set(rows)) <= KEYS
    assert stage.count("dedupe") == len(rows)
