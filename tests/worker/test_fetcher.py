from __future__ import annotations

from collections import Counter

from jobplane.worker.fetcher import in_order


def test_each_queue_is_first_as_often_as_its_weight_says() -> None:
    firsts = Counter(in_order({"a": 3, "b": 1}, woken=())[0] for _ in range(4000))

    assert 2850 < firsts["a"] < 3150
    assert firsts["a"] + firsts["b"] == 4000


def test_a_queue_that_was_woken_goes_first() -> None:
    assert {in_order({"a": 1000, "b": 1}, woken={"b"})[0] for _ in range(100)} == {"b"}
