"""Many processes share one file: nothing is handed out twice, and whoever dies leaves it whole."""

from __future__ import annotations

import random
import subprocess
from collections import Counter
from pathlib import Path
from uuid import UUID

from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import BlockingSqliteStore
from tests.conformance.backend import SqliteAudit
from tests.sqlite.hand import start


def test_processes_claim_each_job_once(path: Path, store: BlockingSqliteStore) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 700)
    hands = [start(path, "drain") for _ in range(4)]

    claimed = Counter(int(seq) for hand in hands for seq in rest(hand).split())

    assert [hand.wait(10) for hand in hands] == [0] * 4
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
        for hand in hands:
            killed_after(hand, chance.randint(1, 20))
        assert SqliteAudit(path).faults() == []

    assert store.list_jobs(DEFAULT_TENANT).items
    assert SqliteAudit(path).peek("pragma integrity_check") == [("ok",)]


def rest(hand: subprocess.Popen[str]) -> str:
    """All that it says until its end; a `communicate` with a timeout would leave out what was read along before."""
    assert hand.stdout
    with hand.stdout:
        return hand.stdout.read()


def killed_after(hand: subprocess.Popen[str], lines: int) -> list[str]:
    """Kill it in the middle of its work; all that it said, but for a line that it could not end."""
    assert hand.stdout
    said = [hand.stdout.readline() for _ in range(lines)]
    hand.kill()
    said += rest(hand).splitlines(keepends=True)
    hand.wait()
    return [line.strip() for line in said if line.endswith("\n")]


def test_an_acknowledged_job_survives_the_death_of_its_writer(path: Path, store: BlockingSqliteStore) -> None:
    hands = [start(path, "enqueue") for _ in range(4)]

    acknowledged = [UUID(job_id) for hand in hands for job_id in killed_after(hand, 10)]

    assert len(acknowledged) == len(set(acknowledged)) >= 40
    pages = [store.get_jobs(DEFAULT_TENANT, acknowledged[n : n + 1000]) for n in range(0, len(acknowledged), 1000)]
    assert {job.id for page in pages for job in page} == set(acknowledged)


def test_what_eight_processes_were_told_holds_whoever_dies(path: Path, store: BlockingSqliteStore) -> None:
    hands = [start(path, "work") for _ in range(8)]

    said = [line.split() for number, hand in enumerate(hands) for line in killed_after(hand, 3 * number + 3)]

    attempts = SqliteAudit(path).peek("select seq, attempt_no, outcome, led_to from jobplane_attempts")
    kept = {(str(seq), str(attempt_no)): [outcome, led_to] for seq, attempt_no, outcome, led_to in attempts}
    assert [line for line in said if kept.get((line[0], line[1])) != line[2:]] == []
    assert len({(line[0], line[1]) for line in said}) == len(said), "no attempt has two outcomes"
    assert SqliteAudit(path).faults() == []
    assert SqliteAudit(path).peek("pragma integrity_check") == [("ok",)]
