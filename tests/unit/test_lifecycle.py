"""The life of a job: where each outcome leads, that no case is forgotten, and that no move is only on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

import pytest

from jobplane.core.lifecycle import ENDED, MOVES, Decision, Leased, decide
from jobplane.core.model import Backoff, JobStatus, Outcome
from tools.diagram import PAGE, diagram, page

Case = tuple[Leased, Outcome, str | None, float | None]

BACKOFF: Final = Backoff(base=5, factor=2, cap=300, jitter=0.5)
JOB: Final = Leased(2, 3, 0, False, None, BACKOFF)
LAST: Final = replace(JOB, attempts_left=0)
ASKED: Final = replace(JOB, cancel_requested=True, cancel_reason="wrong file")
PAYING: Final = (Outcome.FAILED, Outcome.TIMEOUT, Outcome.LOST)
REASONS: Final = (None, "", "shutdown", "snooze", "suspect", "stuck", "unstarted", "disk full")
ONCE: Final = Leased(0, 1, 0, False, None, BACKOFF)
BURYING: Final = ("suspect", "neighbour", "shutdown", "lost_contact", "lease_expired")

# What a person or the clock does to a job that does not run; each has its verb, and is tested against the stores.
BY_VERB: Final = {
    ("claim", JobStatus.QUEUED),
    ("cancel", JobStatus.QUEUED),
    ("retry", JobStatus.FAILED),
    ("retry", JobStatus.DEAD_LETTER),
    ("retry", JobStatus.CANCELED),
}


def cases() -> Iterator[Case]:
    """Every outcome with every flag that a decision looks at."""
    budgets = [(0, 1), (0, 3), (1, 3), (2, 3), (999, 1000)]
    for (left, most), interruptions, asked, why, alone in product(
        budgets, (0, 19, 20, 21), (False, True), (None, "why"), (False, True)
    ):
        job = Leased(left, most, interruptions, asked, why if asked else None, BACKOFF, alone)
        for outcome, reason, after in product(Outcome, REASONS, (None, 0.0, 7.5)):
            yield job, outcome, reason, after


def move(outcome: Outcome, ending: Decision) -> str:
    """The name of the move that an ending is."""
    if ending.status is JobStatus.QUEUED:
        return "release" if outcome is Outcome.RELEASED else "requeue"
    ends = {"succeeded": "succeed", "failed": "fail", "dead_letter": "bury", "canceled": "cancel"}
    return ends[ending.status]


def test_a_success_is_a_success_even_if_a_cancel_was_requested() -> None:
    assert decide(ASKED, Outcome.SUCCEEDED, reason="done") == Decision(JobStatus.SUCCEEDED, 2, 0)


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.SUCCEEDED])
@pytest.mark.parametrize("left", [0, 2])
def test_any_other_end_with_a_cancel_request_is_canceled(outcome: Outcome, left: int) -> None:
    ending = decide(replace(ASKED, attempts_left=left, interruptions=20), outcome, reason="shutdown", retry_after=5)

    assert ending == Decision(JobStatus.CANCELED, left, 20, reason="wrong file")


def test_a_cancel_request_without_a_reason_takes_the_outcomes() -> None:
    asked = replace(ASKED, cancel_reason=None)

    assert decide(asked, Outcome.FAILED, reason="stopped").reason == "stopped"
    assert decide(replace(asked, cancel_reason=""), Outcome.FAILED, reason="stopped").reason == ""


def test_a_handler_may_cancel_itself() -> None:
    assert decide(JOB, Outcome.CANCELED, reason="nothing to do") == Decision(
        JobStatus.CANCELED, 2, 0, reason="nothing to do"
    )


@pytest.mark.parametrize("left", [0, 2])
def test_a_fatal_failure_ends_the_job_whatever_is_left(left: int) -> None:
    ending = decide(replace(JOB, attempts_left=left), Outcome.FATAL, reason="bad payload", retry_after=5)

    assert ending == Decision(JobStatus.FAILED, left, 0, reason="bad payload")


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.LOST])
@pytest.mark.parametrize(("reason", "said"), [(None, None), ("disk full", "disk full"), ("", "")])
def test_without_budget_the_job_is_a_dead_letter_with_its_reason(
    outcome: Outcome, reason: str | None, said: str | None
) -> None:
    ending = decide(LAST, outcome, reason=reason, retry_after=5)

    assert ending == Decision(JobStatus.DEAD_LETTER, 0, 0, reason=outcome.value if said is None else said)


@pytest.mark.parametrize("reason", [None, "timeout", "stuck", "disk full"])
def test_a_job_whose_last_attempt_timed_out_is_a_dead_letter_for_its_timeout(reason: str | None) -> None:
    assert decide(LAST, Outcome.TIMEOUT, reason=reason) == Decision(JobStatus.DEAD_LETTER, 0, 0, reason="timeout")


def test_only_a_stuck_timeout_makes_the_next_attempt_run_alone() -> None:
    assert decide(JOB, Outcome.TIMEOUT, reason="stuck").alone
    assert not decide(JOB, Outcome.TIMEOUT, reason="timeout").alone
    assert not decide(JOB, Outcome.FAILED, reason="stuck").alone


@pytest.mark.parametrize("reason", BURYING)
def test_a_job_that_may_start_once_is_buried_by_a_release_that_may_follow_a_start(reason: str) -> None:
    for job in (ONCE, replace(ONCE, interruptions=19)):
        ending = decide(job, Outcome.RELEASED, reason=reason, retry_after=5)

        assert ending == Decision(JobStatus.DEAD_LETTER, 0, job.interruptions, reason=reason)
    assert decide(LAST, Outcome.RELEASED, reason=reason).status is JobStatus.QUEUED
    asked = replace(ONCE, cancel_requested=True)
    assert decide(asked, Outcome.RELEASED, reason=reason).status is JobStatus.CANCELED


@pytest.mark.parametrize("reason", [None, "snooze", "unstarted"])
def test_a_job_that_may_start_once_is_refunded_where_it_did_not_start_or_asked_for_it(reason: str | None) -> None:
    assert decide(ONCE, Outcome.RELEASED, reason=reason) == Decision(JobStatus.QUEUED, 1, 0, 0)


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.TIMEOUT])
@pytest.mark.parametrize(("left", "seconds"), [(2, 5), (1, 10)])
def test_a_failure_with_budget_waits_for_the_backoff(outcome: Outcome, left: int, seconds: float) -> None:
    job = replace(JOB, attempts_left=left)

    assert decide(job, outcome, dice=0) == Decision(JobStatus.QUEUED, left, 0, seconds)
    assert decide(job, outcome, dice=0.5) == Decision(JobStatus.QUEUED, left, 0, seconds * 0.75)


def test_a_lost_attempt_waits_for_what_the_dice_say() -> None:
    assert decide(JOB, Outcome.LOST, dice=0.25) == Decision(JobStatus.QUEUED, 2, 0, 0.25)


@pytest.mark.parametrize("outcome", [*PAYING, Outcome.RELEASED])
@pytest.mark.parametrize("after", [0.0, 0.5, 3600])
def test_an_asked_delay_wins_over_every_other(outcome: Outcome, after: float) -> None:
    assert decide(JOB, outcome, retry_after=after, dice=0.3).delay_seconds == after


@pytest.mark.parametrize("reason", [None, "snooze", "suspect", "unstarted"])
def test_a_release_is_refunded_and_counts_no_interruption(reason: str | None) -> None:
    ending = decide(replace(LAST, interruptions=50), Outcome.RELEASED, reason=reason, dice=0.3)

    assert ending == Decision(JobStatus.QUEUED, 1, 50, 0, alone=reason == "suspect")


def test_a_shutdown_is_refunded_and_counted() -> None:
    assert decide(LAST, Outcome.RELEASED, reason="shutdown") == Decision(JobStatus.QUEUED, 1, 1, 0)


@pytest.mark.parametrize(("interruptions", "most", "buried"), [(19, 20, False), (20, 20, True), (0, 0, True)])
def test_too_many_shutdowns_bury_the_job(interruptions: int, most: int, buried: bool) -> None:
    job = replace(JOB, interruptions=interruptions)

    ending = decide(job, Outcome.RELEASED, reason="shutdown", max_interruptions=most)

    assert (ending.status is JobStatus.DEAD_LETTER) == buried
    assert ending.reason == ("interrupted" if buried else None)


@pytest.mark.parametrize("outcome", [*PAYING, Outcome.RELEASED])
def test_a_suspect_runs_alone_from_then_on(outcome: Outcome) -> None:
    assert decide(JOB, outcome, reason="suspect").alone
    assert decide(replace(JOB, alone=True), outcome).alone
    assert not decide(JOB, outcome, reason="snooze").alone


def test_every_decision_is_a_legal_move_and_only_a_queued_job_has_a_delay() -> None:
    for job, outcome, reason, after in cases():
        ending = decide(job, outcome, reason=reason, retry_after=after, dice=0.5)
        sources, target = MOVES[move(outcome, ending)]

        assert (JobStatus.RUNNING in sources, target) == (True, ending.status)
        assert (ending.delay_seconds is not None) == (ending.status is JobStatus.QUEUED)
        assert (ending.status in ENDED) or ending.reason is None


def test_the_budget_never_grows_but_by_the_refund_of_a_release() -> None:
    for job, outcome, reason, after in cases():
        ending = decide(job, outcome, reason=reason, retry_after=after, dice=0.5)
        released = outcome is Outcome.RELEASED and ending.status is JobStatus.QUEUED

        assert ending.attempts_left == job.attempts_left + released
        assert ending.interruptions == job.interruptions + (released and reason == "shutdown")


def test_no_decision_but_a_success_ignores_a_cancel_request() -> None:
    for job, outcome, reason, after in cases():
        if job.cancel_requested:
            status = decide(job, outcome, reason=reason, retry_after=after, dice=0.5).status
            assert status is (JobStatus.SUCCEEDED if outcome is Outcome.SUCCEEDED else JobStatus.CANCELED)


def test_every_move_is_made_by_a_decision_or_by_a_verb() -> None:
    decided = {
        (move(outcome, decide(job, outcome, reason=reason, retry_after=after)), JobStatus.RUNNING)
        for job, outcome, reason, after in cases()
    }

    assert decided | BY_VERB == {(name, source) for name, (sources, _) in MOVES.items() for source in sources}


def test_only_a_person_moves_a_job_that_has_ended() -> None:
    assert {name for name, (sources, _) in MOVES.items() if sources & ENDED} == {"retry"}


def test_a_job_that_succeeded_stays_so() -> None:
    assert not any(JobStatus.SUCCEEDED in sources for sources, _ in MOVES.values())


def test_the_page_shows_the_moves_as_they_are() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m tools.diagram"
    for name, (_, target) in MOVES.items():
        assert re.search(rf"--> {target}: .*\b{name}\b", diagram())
