"""What a killed worker's handlers wrote is there, but for the last second; and a million lines can be searched."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Final

import pytest

from jobplane.core.errors import Invalid
from jobplane.core.model import NewJob, Outcome
from tests.client import BlockingStore
from tests.conformance.test_logs import written
from tests.faults.places import ALICE, Place
from tests.faults.sizes import in_full, on_both, slow
from tests.faults.stage import Stage
from tests.faults.waiting import PATIENCE, pause, until
from tests.leases import settlement

LOST_SECONDS: Final = 1.25  # a second, and the call that stores it
JOBS: Final = 100
LINES: Final = 10_000  # of each
SEARCH_SECONDS: Final = 3.0
FOUND: Final = ("part", "upload 99", "PART 10000 of upload 0")
HOSTILE: Final = (
    "absent", "a b c d e f g h i j k l m n o p", "p a r t d o n e absent", "1 2 3 4 5 6 7 8 9 absent", "(a+)+$",
    "part.*absent", "%" * 500, "'; drop table jobs; --", "absent\x00part", "\ud800", '"part" NEAR absent', "é" * 500,
    "x" * 501,
)  # fmt: skip


@pytest.mark.parametrize(("every", "lines"), [(0.05, 1), (0.001, 10)], ids=["slow", "flood"])
@pytest.mark.quiet
@slow
@on_both
def test_a_kill_loses_the_last_second_of_a_log_at_most(stage: Stage, every: float, lines: int) -> None:
    """Twenty lines a second, and ten thousand; that they are in order, and what was dropped marked, the judge says."""
    worker = stage.ready_worker()
    [job] = stage.enqueue("chatter", seconds=600, again=0.5, every=every, lines=lines)
    until(lambda: stage.started() == 1, PATIENCE, "its start")
    pause(stage.dice.uniform(4, 6))
    worker.kill()
    stage.worker()
    with stage.kept_up():
        stage.drain(within=60)

    history = stage.history()
    log = history.logs()[str(job), 1]
    killed_at = stage.recorder.having("broken")[0].at + history.offset
    assert killed_at - log[-1].at <= LOST_SECONDS


@pytest.mark.quiet
@in_full
@on_both
def test_no_search_in_a_million_lines_takes_three_seconds(place: Place) -> None:
    try:
        _write_a_million(place.store)
        took = {text: _search(place.store, text) for text in (*FOUND, *HOSTILE)}
    finally:
        place.close()

    assert max(took.values()) <= SEARCH_SECONDS, took


def _write_a_million(store: BlockingStore) -> None:
    """A tenth is indexed where there is an index, the rest is new."""
    store.put_definitions([{"key": "d"}])
    store.enqueue(ALICE, [NewJob(definition="d")] * JOBS)
    leases = store.claim("default", "w", limit=JOBS, lease_seconds=3600).leases
    for number, lease in enumerate(leases):
        lines = [
            written(lease, line, f"part {line} of upload {number} is done", at=datetime.now(UTC))
            for line in range(1, LINES + 1)
        ]
        for first in range(0, LINES, 1000):
            assert store.log_lines(lines[first : first + 1000]) == []
        if number == JOBS // 10:
            store.tidy()
    store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED) for lease in leases])


def _search(store: BlockingStore, text: str) -> float:
    began = time.monotonic()
    try:
        hits, scanned_all = store.search_logs(ALICE, text)
    except Invalid:
        assert text in HOSTILE
    else:
        assert bool(hits) == (text in FOUND) or not scanned_all
    return time.monotonic() - began
