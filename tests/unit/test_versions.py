from __future__ import annotations

from itertools import pairwise

import pytest

from jobplane.core.versions import is_older, order_of

# As PEP 440 sorts them.
SORTED = [
    *("0.9", "1.dev0", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12.dev456", "1.0a12", "1.0b1.dev456", "1.0b2"),
    *("1.0b2.post345.dev456", "1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0+abc.5", "1.0+abc.7", "1.0+5"),
    *("1.0.post456.dev34", "1.0.post456", "1.0.15", "1.1.dev1", "1.1", "1.9", "1.10", "1.10.1", "2", "10", "1!0.1"),
]
SAME = [
    ("1.0", "1"),
    ("1.0", "v1.0.0"),
    ("1.0rc1", "1.0c1"),
    ("1.0rc1", "1.0-PRE_1"),
    ("1.0-1", "1.0.post1"),
    ("1.0a", "1.0alpha0"),
    ("1.0.dev", "1.0-dev0"),
    ("1.0+Abc-5", "1.0+abc.5"),
    ("1.0.r1", "1.0.post1"),
]


def test_the_order_of_a_version_sorts_as_pep_440_does() -> None:
    orders = [order_of(version) or "" for version in SORTED]

    assert orders == sorted(orders)
    assert all(one < other for one, other in pairwise(orders))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_of_one_version_are_the_same(one: str, other: str) -> None:
    assert order_of(one) == order_of(other) is not None


@pytest.mark.parametrize("version", ["", "main", "1.0-", "2026-01-02x", "1..0", "1.0+", "1" * 201, "\u0967.0"])
def test_what_is_no_version_has_no_order(version: str) -> None:
    assert order_of(version) is None


def test_an_empty_version_is_never_older() -> None:
    assert not is_older("", "1")
    assert not is_older("1", "")
    assert is_older("a", "b")
    assert not is_older("1", "1.0")
