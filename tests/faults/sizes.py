"""How much a fault test does: each fault once and small every day, in full with JOBPLANE_TEST_FAULTS=full."""

from __future__ import annotations

import os
from typing import Final, TypeVar

import pytest

T = TypeVar("T")
FULL: Final = os.environ.get("JOBPLANE_TEST_FAULTS") == "full"

on_both = pytest.mark.parametrize("place", ["postgres", "sqlite"], indirect=True)
on_postgres = pytest.mark.parametrize("place", ["postgres"], indirect=True)
on_one = on_both if FULL else on_postgres
on_other = on_both if FULL else pytest.mark.parametrize("place", ["sqlite"], indirect=True)
in_full = pytest.mark.skipif(not FULL, reason="part of make test-faults")


def size(small: T, full: T) -> T:
    return full if FULL else small
