from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import pytest

from jobplane.control import waiting as module
from jobplane.control.waiting import Outage, pauses
from jobplane.core.errors import StoreUnavailable


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What was slept so far, which is all the time that passes."""
    done: list[float] = []

    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: 1000.0 + sum(done)))
    return done


def test_the_looks_begin_at_20_ms_and_rise_to_a_second(slept: list[float]) -> None:
    for pause in pauses(None):
        slept.append(pause)
        if pause == 1.0:
            break

    assert slept[0] == 0.02
    assert all(before < after for before, after in pairwise(slept))
    assert len(slept) == 11


def test_the_last_pause_ends_with_the_timeout_and_one_look_follows(slept: list[float]) -> None:
    for pause in pauses(10):
        slept.append(pause)  # noqa: PERF402 the next pause depends on it

    assert sum(slept) == pytest.approx(10)
    assert max(slept) == 1.0
    assert slept[-1] == 0.0
    assert slept.count(0.0) == 1


@pytest.mark.parametrize("timeout", [0, -1])
def test_without_any_time_there_is_one_look(slept: list[float], timeout: float) -> None:
    assert list(pauses(timeout)) == [0.0]
    assert slept == []


def test_a_database_that_was_never_there_is_not_waited_for() -> None:
    with pytest.raises(StoreUnavailable):
        Outage().bear(StoreUnavailable("no such host"))


def test_a_database_that_went_away_is_waited_for_a_minute(slept: list[float]) -> None:
    outage, error = Outage(), StoreUnavailable("it restarts")
    for _ in range(2):
        outage.is_over()
        for _ in range(60):
            slept.append(outage.bear(error))  # noqa: PERF401 how long it was away depends on it
        assert outage.error is error

    slept.append(1)
    with pytest.raises(StoreUnavailable):
        outage.bear(error)
    outage.is_over()
    assert outage.error is None
    slept.append(100)  # somebody reads for long what has come
    assert outage.bear(error)
