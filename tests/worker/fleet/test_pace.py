"""How many jobs may wait in an executor."""

import pytest

from jobplane.worker.fleet.pace import Pace


@pytest.mark.parametrize(
    ("seconds", "buffer"),
    [(0.0001, 500), (0.001, 500), (0.01, 160), (0.05, 32), (0.09, 17), (0.1, 0), (60.0, 0)],
)
def test_the_buffer_is_what_runs_in_100_ms(seconds: float, buffer: int) -> None:
    pace = Pace(slots=16, most=500)

    pace.record(1, seconds)

    assert pace.buffer == buffer


def test_nothing_is_buffered_before_anything_ended() -> None:
    pace = Pace(slots=16, most=500)
    pace.look(1.0, waiting=False)

    assert pace.buffer == 0


def test_one_long_job_among_short_ones_changes_nothing() -> None:
    pace = Pace(slots=16, most=500)
    for _ in range(5):
        pace.record(10, 0.01)
    pace.record(1, 60)

    pace.look(1.0, waiting=False)

    assert pace.buffer == 500


def test_the_buffer_shrinks_when_durations_rise() -> None:
    pace = Pace(slots=16, most=500)
    pace.record(10, 0.01)
    for _ in range(20):
        pace.record(1, 2.0)

    pace.look(1.0, waiting=False)

    assert pace.buffer == 0


def test_it_shrinks_too_while_long_jobs_run_and_none_ends() -> None:
    pace = Pace(slots=16, most=500)
    pace.record(100, 0.1)
    pace.look(1.00, waiting=True)
    pace.look(1.25, waiting=True)
    assert pace.buffer == 500, "a machine may hesitate"

    pace.look(1.50, waiting=True)

    assert pace.buffer == 0


def test_handlers_that_share_one_core_do_not_count_as_if_each_had_its_own() -> None:
    pace = Pace(slots=16, most=500)
    for look in range(3):
        pace.record(20, 0.2)
        pace.look(1 + look / 4, waiting=True)

    assert pace.buffer == 16
