"""Who pays for the death of an executor."""

from typing import Any, get_args
from uuid import UUID

import pytest

from jobplane.core.leases import SUCCEEDED, Lease
from jobplane.worker.fleet.verdict import Cause, Death, ends

TICKETS = [Lease(seq, 1, UUID(int=1)) for seq in (1, 2, 3, 4)]


def death(cause: Cause, *, alone: bool = False, **facts: Any) -> Death:
    return Death(cause=cause, how="killed by SIGSEGV", exit_code=-11, alone=alone, **facts)


def said(tickets: list[Lease], death: Death) -> list[str]:
    return [f"{end.ending.outcome} {end.ending.reason or ''}".strip() for end in ends(tickets, death)]


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        ("crash", ["released unstarted", "released suspect", "timeout stuck", "released suspect"]),
        ("watchdog", ["released unstarted", *["released lost_contact"] * 3]),
        ("stuck", ["released unstarted", "released neighbour", "timeout stuck", "canceled"]),
        ("closed", ["released unstarted", "released shutdown", "timeout stuck", "canceled"]),
        ("deaf", ["released unstarted", "released suspect", "timeout stuck", "canceled"]),
        ("gone", ["released unstarted", "released neighbour", "timeout stuck", "canceled"]),
    ],
)
def test_no_neighbour_pays(cause: Cause, expected: list[str]) -> None:
    """The first waits, the second runs, the third runs past its timeout, the fourth runs and is canceled."""
    facts = death(cause, running={2, 3, 4}, late={3}, stops={4: "cancel"})

    assert said(TICKETS, facts) == expected


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        ("crash", "lost worker_crash"),
        ("watchdog", "released lost_contact"),
        ("timeout", "timeout stuck"),
        ("cancel", "canceled"),
        ("closed", "released shutdown"),
    ],
)
def test_a_job_that_is_alone_pays_for_its_process(cause: Cause, expected: str) -> None:
    assert said(TICKETS[:1], death(cause, alone=True, running={1})) == [expected]


def test_a_stop_is_no_way_out_for_who_is_past_its_timeout() -> None:
    facts = death("closed", running={1, 2}, late={1}, stops={1: "shutdown", 2: "shutdown"})

    assert said(TICKETS[:2], facts) == ["timeout stuck", "released shutdown"]


def test_the_signal_is_named() -> None:
    [(_, ending)] = ends(TICKETS[:1], death("crash", alone=True, running={1}))

    assert ending.error is not None
    assert "SIGSEGV" in ending.error
    assert ending.exit_code == -11


@pytest.mark.parametrize("cause", get_args(Cause))
@pytest.mark.parametrize("alone", [False, True], ids=["shared", "alone"])
def test_a_job_that_returned_has_succeeded_however_its_process_ended(cause: Cause, alone: bool) -> None:
    facts = death(
        cause, alone=alone, running={1}, ended=dict.fromkeys((2, 3, 4), SUCCEEDED), stops={3: "cancel", 4: "gone"}
    )

    assert said(TICKETS[1:], facts) == ["succeeded", "succeeded"]


def test_a_lease_that_is_gone_has_no_end() -> None:
    assert said(TICKETS[:2], death("crash", running={2}, stops={1: "gone", 2: "gone"})) == []


def test_a_job_that_is_alone_pays_only_once_it_has_begun() -> None:
    assert said(TICKETS[:1], death("crash", alone=True, running=set())) == ["released unstarted"]
