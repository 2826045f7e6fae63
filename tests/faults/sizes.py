"""How much a fault test does, by JOBPLANE_TEST_FAULTS.

Every day each fault that takes seconds is there once, small. `slow` has the others alone, which take a minute each and
are marked so, once and small too. `full` has all of them, on both stores, for as long as a figure needs.
"""

from __future__ import annotations

import os
from typing import Final, TypeVar

import pytest

T = TypeVar("T")
FULL: Final = os.environ.get("JOBPLANE_TEST_FAULTS") == "full"
SLOW: Final = os.environ.get("JOBPLANE_TEST_FAULTS") == "slow"

on_both = pytest.mark.parametrize("place", ["postgres", "sqlite"], indirect=True)
on_postgres = pytest.mark.parametrize("place", ["postgres"], indirect=True)
on_one = on_both if FULL else on_postgres
on_other = on_both if FULL else pytest.mark.parametrize("place", ["sqlite"], indirect=True)
in_full = pytest.mark.skipif(not FULL, reason="part of make test-faults")
slow = pytest.mark.slow


def size(small: T, full: T) -> T:
    return full if FULL else small
