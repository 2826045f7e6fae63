from __future__ import annotations

import pytest

from jobplane.worker.fleet import backoff
from jobplane.worker.fleet.backoff import HEALTHY_SECONDS, MOST_SECONDS, RestartBackoff


def test_a_pause_grows_with_each_death_and_is_forgotten_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(backoff, "monotonic", lambda: now)
    row = RestartBackoff()
    delays = [row.delay()]
    for _ in range(12):
        row.record_death(0)
        delays.append(row.delay())

    assert delays[0] == 0
    assert 0.05 <= delays[1] <= 0.1
    assert MOST_SECONDS / 2 <= delays[-1] <= MOST_SECONDS
    now += HEALTHY_SECONDS
    assert row.delay() == 0
