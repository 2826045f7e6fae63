"""Many processes share one file: nothing is handed out twice, and whoever dies leaves it whole."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.sqlite.blocking import BlockingSqliteStore
from tests.conformance.backend import SqliteAudit
from tests.sqlite.hand import start


def test_processes_claim_each_job_once(path: Path, store: BlockingSqliteStore) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 700)
    hands = [start(path, "drain") for _ in range(4)]

    claimed = Counter(int(seq) for hand in hands for seq in hand.communicate(timeout=60)[0].split())

    assert [hand.returncode for hand in hands] == [0] * 4
    assert sorted(claimed) == list(range(1, 701))
    assert set(claimed.values()) == {1}
    assert store.summary(DEFAULT_TENANT).succeeded == 700
    assert SqliteAudit(path).faults() == []


def test_processes_that_open_a_new_file_at_once_make_one_schema(path: Path) -> None:
    hands = [start(path, "drain") for _ in range(5)]

    assert [hand.wait(30) for hand in hands] == [0] * 5
    for hand in hands:
        hand.communicate()


def test_a_killed_process_leaves_the_file_whole(path: Path, store: BlockingSqliteStore) -> None:
    chance = random.Random(1)
    for _ in range(6):
        hands = [start(path, "churn") for _ in range(2)]
        time.sleep(0.1 + chance.random() * 0.3)
        for hand in hands:
            hand.kill()
            hand.communicate()
        assert SqliteAudit(path).faults() == []

    assert store.list_jobs(DEFAULT_TENANT).jobs
    assert SqliteAudit(path).peek("pragma integrity_check") == [("ok",)]


def test_an_acknowledged_job_survives_the_death_of_its_writer(path: Path, store: BlockingSqliteStore) -> None:
    hand = start(path, "enqueue")
    assert hand.wait(60) == 0
    hand.communicate()

    assert store.summary(DEFAULT_TENANT).ready == 200
