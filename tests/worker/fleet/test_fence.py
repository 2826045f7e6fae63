"""The deadline of the watchdog, on a clock that the test holds."""

import math

import pytest

from jobplane.worker.fleet.fence import Fence


def test_a_claim_is_good_from_when_it_was_asked() -> None:
    fence = Fence(30)

    fence.dealt(asked_at=100, now=103)

    assert fence.deadline == 127


def test_a_renewal_moves_the_deadline_to_nine_tenths_of_a_lease_after_it_was_sent() -> None:
    fence = Fence(30)
    fence.dealt(asked_at=100, now=103)

    fence.confirm(sent_at=110)

    assert fence.deadline == 137


def test_a_renewal_does_not_vouch_for_what_was_dealt_after_it_was_sent() -> None:
    fence = Fence(30)
    fence.dealt(asked_at=100, now=101)
    fence.dealt(asked_at=102, now=111)

    fence.confirm(sent_at=110)
    assert fence.deadline == 129

    fence.confirm(sent_at=120)
    assert fence.deadline == 147


def test_a_late_answer_makes_the_deadline_earlier() -> None:
    fence = Fence(30)
    fence.confirm(sent_at=110)

    fence.dealt(asked_at=105, now=111)

    assert fence.deadline == 132


def test_nothing_held_cannot_be_late() -> None:
    fence = Fence(30)
    fence.dealt(asked_at=100, now=100)

    fence.rest()

    assert fence.deadline == math.inf


def test_an_answer_older_than_a_third_of_a_lease_is_late() -> None:
    assert [Fence(30).is_late(asked_at=100, now=now) for now in (100, 110, 110.1)] == [False, False, True]


@pytest.mark.parametrize(("now", "deadline"), [(110, 136), (120, 146), (200, 226)])
def test_a_worker_that_was_idle_takes_the_deadline_that_it_has_if_it_is_far_enough(now: float, deadline: float) -> None:
    fence = Fence(30)
    fence.confirm(sent_at=109)
    assert fence.deadline == 136

    fence.resume(now)
    fence.dealt(asked_at=now - 1, now=now)

    assert fence.deadline == deadline
