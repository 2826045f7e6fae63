"""The ratios of `make bench ARGS="--before PATH"`."""

import pytest

from bench.pairs.ratios import RATE, Pairs, Reading

CPU = "client µs/job"


def pairs(*readings: tuple[Reading, Reading]) -> Pairs:
    found = Pairs("a measure")
    for before, after in readings:
        found.add(before, after)
    return found


def test_a_ratio_is_taken_within_each_pair() -> None:
    found = pairs(({RATE: 100.0}, {RATE: 110.0}), ({RATE: 50.0}, {RATE: 45.0}))

    assert found.ratios(RATE) == pytest.approx([1.1, 0.9])


def test_a_line_has_the_medians_the_median_ratio_and_the_extremes() -> None:
    found = pairs(*[({RATE: 1000.0}, {RATE: after}) for after in (900.0, 1200.0, 1100.0)])

    [line] = found.lines()

    assert line.split() == ["a", "measure", RATE, "1,000", "1,100", "1.100", "0.900", "1.200", "larger"]


def test_less_of_anything_but_the_rate_is_better() -> None:
    _, line = pairs(({RATE: 1.0, CPU: 2.0}, {RATE: 1.0, CPU: 1.0})).lines()

    assert line.split()[-1] == "smaller"


def test_a_figure_that_one_reading_does_not_have_is_left_out() -> None:
    found = pairs(({RATE: 1.0, CPU: 2.0}, {RATE: 1.0, CPU: 0.0}))

    assert found.figures == [RATE]
