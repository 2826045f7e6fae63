from __future__ import annotations

import random
import time

import pytest

from jobplane.process.contact import Contact
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal


async def test_who_lost_the_database_at_once_comes_back_at_any_time_of_a_bounded_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What each may take is twice what the one before might, up to a bound."""
    drawn: list[tuple[float, float]] = []

    def most(*bounds: float) -> float:
        drawn.append((bounds[0], bounds[1]))
        return bounds[1]

    monkeypatch.setattr(random, "uniform", most)
    line = Contact(Journal("w", ClaimRecords())).connection("claims", longest_pause=0.5)
    began = time.monotonic()

    for _ in range(5):
        await line.pause()

    assert drawn == [(0, 0.1), (0, 0.2), (0, 0.4), (0, 0.5), (0, 0.5)]
    assert time.monotonic() - began >= 1.7 - 0.01
