"""The backoff: the tables of the earlier designs as settings of one policy, and its bounds at any number."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobplane.core.model import Backoff
from jobplane.core.retry import delay_seconds

DOUBLING = Backoff(base=1, factor=2, cap=3600, jitter=0)
DEFAULT = Backoff()

backoffs = st.builds(
    Backoff,
    base=st.floats(0, 86_400),
    factor=st.floats(1, 100),
    cap=st.floats(0, 2_592_000),
    jitter=st.floats(0, 1),
)
attempts = st.integers(1, 10**9)
dice = st.floats(0, 1, exclude_max=True)


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 64), (8, 128), (9, 256), (10, 512), (11, 1024), (12, 2048)],
)
def test_doubling_from_one_second_is_exact(attempts: int, seconds: float) -> None:
    assert delay_seconds(DOUBLING, attempts, 0.9) == seconds


@given(st.builds(Backoff, base=st.floats(), factor=st.floats(), cap=st.floats(), jitter=st.floats()), attempts, dice)
def test_a_policy_of_any_numbers_waits_for_a_year_at_most(backoff: Backoff, attempts: int, dice: float) -> None:
    assert 0 <= delay_seconds(backoff, attempts, dice) <= 31_536_000


@pytest.mark.parametrize("attempts", [13, 14, 31, 32, 33, 63, 64, 65, 1000, 1023, 1024, 1025, 2**31, 10**18])
def test_doubling_stays_at_its_cap_and_never_overflows(attempts: int) -> None:
    assert delay_seconds(DOUBLING, attempts, 0.9) == 3600


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(1, 5), (2, 10), (3, 20), (4, 40), (5, 80), (6, 160), (7, 300), (8, 300), (9, 300), (10, 300)],
)
def test_the_default_is_five_seconds_doubled_up_to_five_minutes(attempts: int, seconds: float) -> None:
    assert delay_seconds(DEFAULT, attempts, 0) == seconds
    assert seconds / 2 < delay_seconds(DEFAULT, attempts, 0.999) < seconds


@pytest.mark.parametrize("attempts", [0, -1, -(10**9)])
def test_an_attempt_before_the_first_counts_as_the_first(attempts: int) -> None:
    assert delay_seconds(DEFAULT, attempts, 0) == 5


def test_a_factor_of_one_does_not_grow() -> None:
    steady = Backoff(base=30, factor=1, cap=3600, jitter=0)

    assert {delay_seconds(steady, n, 0.3) for n in (1, 2, 10, 10**6)} == {30}


def test_no_base_is_no_delay() -> None:
    assert delay_seconds(Backoff(base=0), 1000, 0.3) == 0


@given(backoffs, attempts, dice)
def test_a_delay_is_a_number_between_nothing_and_the_cap(backoff: Backoff, attempts: int, dice: float) -> None:
    delay = delay_seconds(backoff, attempts, dice)

    assert math.isfinite(delay)
    assert 0 <= delay <= backoff.cap


@given(backoffs, attempts, dice)
def test_jitter_takes_off_its_share_at_most(backoff: Backoff, attempts: int, dice: float) -> None:
    whole = delay_seconds(backoff, attempts, 0)

    assert whole * (1 - backoff.jitter) <= delay_seconds(backoff, attempts, dice) <= whole


@given(backoffs, attempts)
def test_a_later_attempt_never_waits_less(backoff: Backoff, attempts: int) -> None:
    assert delay_seconds(backoff, attempts, 0) <= delay_seconds(backoff, attempts + 1, 0)
