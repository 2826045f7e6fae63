"""The judge finds each fault in a forged history, and none in an honest one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.faults.checker import RULES, judge
from tests.faults.history import Event, History, StoredAttempt, StoredFire, StoredJob, StoredLine

WALL = 1_700_000_000.0
Forge = Callable[[History], None]


def honest() -> History:
    """Job a succeeds at once; b is killed with its worker 7 and succeeds later; c fails by itself and is buried."""
    return History(
        events=[
            *(Event(at=0.1, kind="invoke", mark=mark) for mark in (1, 2, 3)),
            *(Event(at=0.2, kind="ok", mark=mark, job=job) for mark, job in ((1, "a"), (2, "b"), (3, "c"))),
            Event(at=1.0, kind="start", job="a", attempt=1, pid=70, boss=7),
            Event(at=1.1, kind="end", job="a", attempt=1, pid=70, boss=7, how="done"),
            Event(at=1.0, kind="start", job="b", attempt=1, pid=70, boss=7),
            Event(at=1.5, kind="effect", job="b", attempt=1, pid=70, boss=7),
            Event(at=1.6, kind="broken", name="kill", boss=7),
            Event(at=8.0, kind="start", job="b", attempt=2, pid=80, boss=8),
            Event(at=8.5, kind="end", job="b", attempt=2, pid=80, boss=8, how="done"),
            Event(at=2.0, kind="start", job="c", attempt=1, pid=80, boss=8),
            Event(at=2.1, kind="end", job="c", attempt=1, pid=80, boss=8, how="raised"),
            Event(at=4.0, kind="healed"),
            Event(at=9.0, kind="drained", within=10.0),
        ],
        jobs=[_job("a", 1), _job("b", 2), _job("c", 3, status="dead_letter", max_attempts=1), _planned("s")],
        attempts=[
            _attempt("a", 1, 0.9, 1.2, "succeeded", "succeeded"),
            _attempt("b", 1, 0.9, 6.0, "lost", "queued"),
            _attempt("b", 2, 7.9, 8.6, "succeeded", "succeeded"),
            _attempt("c", 1, 1.9, 2.2, "failed", "dead_letter"),
        ],
        fires=[
            StoredFire(trigger="t", planned_at=WALL, outcome="fired", job="s"),
            StoredFire(trigger="t", planned_at=WALL + 60, outcome="skipped"),
        ],
        triggers={"t"},
        lines=[StoredLine("b", 1, 1, "attempt 1 of b"), StoredLine("b", 2, 1, "attempt 2 of b")],
        offset=WALL,
    )


def _job(job: str, mark: int, status: str = "succeeded", max_attempts: int = 3) -> StoredJob:
    return StoredJob(
        id=job,
        mark=mark,
        status=status,
        max_attempts=max_attempts,
        created_at=WALL + 0.15,
        scheduled_for=WALL + 0.15,
        finished_at=WALL + 9,
    )


def _planned(job: str) -> StoredJob:
    """A job of a schedule that waits."""
    return replace(_job(job, 0, status="queued"), mark=None, finished_at=None, trigger="t", planned_at=WALL)


def _attempt(job: str, number: int, started: float, finished: float, outcome: str, led_to: str) -> StoredAttempt:
    return StoredAttempt(
        job=job,
        attempt_no=number,
        token=f"{job}{number}",
        outcome=outcome,
        led_to=led_to,
        started_at=WALL + started,
        finished_at=WALL + finished,
    )


def _lose_a_job(history: History) -> None:
    del history.jobs[0], history.attempts[0]
    history.events = [event for event in history.events if event.job != "a" or event.kind == "ok"]


def _leave_a_job_waiting(history: History) -> None:
    history.jobs[0] = replace(history.jobs[0], status="queued", finished_at=None)
    del history.attempts[0]


def _invent_a_job(history: History) -> None:
    history.jobs.append(_job("x", 99))
    history.attempts.append(_attempt("x", 1, 1, 2, "succeeded", "succeeded"))
    history.events += [Event(at=1.5, kind=kind, job="x", attempt=1, how="done") for kind in ("start", "end")]


def _take_one_enqueue_twice(history: History) -> None:
    _invent_a_job(history)
    history.jobs[-1] = replace(history.jobs[-1], mark=1)


def _lease_twice(history: History) -> None:
    history.attempts[2] = replace(history.attempts[2], started_at=WALL + 5.9)


def _skip_an_attempt(history: History) -> None:
    history.attempts[0] = replace(history.attempts[0], attempt_no=2)
    for number, event in enumerate(history.events):
        if event.job == "a" and event.attempt:
            history.events[number] = replace(event, attempt=2)


def _run_side_by_side(history: History) -> None:
    history.events.append(Event(at=9.1, kind="effect", job="b", attempt=1, pid=70, boss=7))


def _start_an_attempt_twice(history: History) -> None:
    history.events = [replace(event, attempt=1) if event.job == "b" else event for event in history.events]


def _forget_a_claim_in_a_crash(history: History) -> None:
    _start_an_attempt_twice(history)
    history.events += [Event(at=3.0, kind="broken", name="crash"), Event(at=3.5, kind="mended", name="crash")]


def _accept_what_nobody_said(history: History) -> None:
    history.events = [event for event in history.events if event.job != "a" or event.kind != "end"]


def _use_a_token_again(history: History) -> None:
    history.attempts[2] = replace(history.attempts[2], token="b1")


def _write_under_the_next_attempt(history: History) -> None:
    history.lines.append(StoredLine("b", 2, 2, "attempt 1 of b"))


def _lose_a_line(history: History) -> None:
    history.lines.append(StoredLine("b", 2, 4, "attempt 2 of b"))


def _lose_the_first_line(history: History) -> None:
    history.lines[0] = replace(history.lines[0], line=2)


def _lose_more_than_is_marked(history: History) -> None:
    history.lines += [StoredLine("b", 2, 2, "2 lines", 0.0, 2), StoredLine("b", 2, 5, "attempt 2 of b")]


def _write_in_another_order(history: History) -> None:
    history.lines.append(StoredLine("b", 2, 2, "attempt 2 of b", -1.0))


def _spend_too_much(history: History) -> None:
    history.jobs[1] = replace(history.jobs[1], max_attempts=1)


def _start_again(history: History) -> None:
    """It spends its budget of one, and nothing more."""
    history.jobs[1] = replace(history.jobs[1], max_attempts=1)
    history.attempts[1] = replace(history.attempts[1], outcome="released", reason="neighbour")


def _interrupt_for_ever(history: History) -> None:
    _interrupt(history, "shutdown")


def _let_leases_expire_for_ever(history: History) -> None:
    _interrupt(history, "lease_expired")


def _interrupt(history: History, reason: str) -> None:
    released = [_attempt("a", n, n / 1000, n / 1000 + 0.0005, "released", "queued") for n in range(1, 30)]
    history.attempts[0] = replace(history.attempts[0], attempt_no=30)
    history.attempts += [replace(attempt, reason=reason) for attempt in released]
    for number, event in enumerate(history.events):
        if event.job == "a" and event.attempt:
            history.events[number] = replace(event, attempt=30)


def _wake_the_dead(history: History) -> None:
    history.jobs[2] = replace(history.jobs[2], status="succeeded", max_attempts=2)
    history.attempts.append(_attempt("c", 2, 5, 6, "succeeded", "succeeded"))
    history.events += [
        Event(at=5.1, kind="start", job="c", attempt=2, pid=80, boss=8),
        Event(at=5.2, kind="end", job="c", attempt=2, pid=80, boss=8, how="done"),
    ]


def _make_an_illegal_move(history: History) -> None:
    history.attempts[1] = replace(history.attempts[1], outcome="fatal")


def _stand_in_two_tables(history: History) -> None:
    history.broken_rules.append("job 2 is in leases and endings")


def _forget_an_outcome(history: History) -> None:
    history.jobs[0] = replace(history.jobs[0], status="failed")


def _start_early(history: History) -> None:
    history.jobs[0] = replace(history.jobs[0], scheduled_for=WALL + 1.5)


def _give_two_jobs_one_key(history: History) -> None:
    history.jobs[:2] = [replace(job, dedupe_key="k") for job in history.jobs[:2]]


def _answer_with_another_job(history: History) -> None:
    history.jobs[0] = replace(history.jobs[0], dedupe_key="k")
    history.events.append(Event(at=0.3, kind="ok", mark=2, job="b", name="k"))


def _run_again_for_nothing(history: History) -> None:
    history.events = [event for event in history.events if event.kind != "broken"]


def _strike_another(history: History) -> None:
    history.events = [replace(event, boss=9) if event.kind == "broken" else event for event in history.events]


def _let_another_process_die(history: History) -> None:
    _die_while_jobs_begin(history, 71)


def _die_while_jobs_begin(history: History, pid: int) -> None:
    """Instead of the kill, a process says that it will die, and b starts before it is gone."""
    poison = Event(at=0.9, kind="broken", name="poison", pid=pid)
    history.events = [poison if event.kind == "broken" else event for event in history.events]


def _take_too_long(history: History) -> None:
    history.events[-1] = replace(history.events[-1], at=20.0)


def _never_drain(history: History) -> None:
    del history.events[-1]


def _fire_a_time_twice(history: History) -> None:
    history.jobs.append(_planned("s2"))
    history.triggers.clear()


def _fire_without_a_record(history: History) -> None:
    del history.fires[0]


def _record_a_job_that_is_nowhere(history: History) -> None:
    del history.jobs[3]


def _record_a_job_of_another_time(history: History) -> None:
    history.jobs[3] = replace(history.jobs[3], planned_at=WALL + 60)


def _record_a_fire_without_a_job(history: History) -> None:
    history.fires[1] = replace(history.fires[1], outcome="fired")


def _take_the_job_from_the_record(history: History) -> None:
    history.fires[0] = replace(history.fires[0], outcome="missed", job=None)


FORGED: dict[str, list[Forge]] = {
    "I1 lost": [_lose_a_job, _leave_a_job_waiting],
    "I2 phantom": [_invent_a_job, _take_one_enqueue_twice],
    "I3 double lease": [
        _lease_twice,
        _skip_an_attempt,
        _run_side_by_side,
        _start_an_attempt_twice,
        _forget_a_claim_in_a_crash,
    ],
    "I4 unfenced": [
        _accept_what_nobody_said,
        _use_a_token_again,
        _write_under_the_next_attempt,
        _lose_a_line,
        _lose_the_first_line,
        _lose_more_than_is_marked,
        _write_in_another_order,
    ],
    "I5 loop": [_spend_too_much, _start_again, _interrupt_for_ever, _let_leases_expire_for_ever],
    "I6 resurrection": [_wake_the_dead],
    "I7 corrupt": [_make_an_illegal_move, _stand_in_two_tables, _forget_an_outcome],
    "I8 early": [_start_early],
    "I9 duplicate": [_give_two_jobs_one_key, _answer_with_another_job],
    "I12 unexplained rerun": [_run_again_for_nothing, _strike_another, _let_another_process_die],
    "I13 misfire": [
        _fire_a_time_twice,
        _fire_without_a_record,
        _record_a_job_that_is_nowhere,
        _record_a_job_of_another_time,
        _record_a_fire_without_a_job,
        _take_the_job_from_the_record,
    ],
    "I14 stuck": [_take_too_long, _never_drain],
}


def test_an_honest_history_is_clean() -> None:
    verdict = judge(honest())

    assert verdict.violations == {}
    assert (verdict.lost, verdict.duplicated, verdict.recovered, verdict.unexpected) == (0, 0, 0, 0)


def test_a_person_may_wake_the_dead() -> None:
    history = honest()
    _wake_the_dead(history)
    history.events.append(Event(at=4.9, kind="retried", job="c"))

    assert judge(history).violations == {}


def test_a_deleted_trigger_takes_its_record_along() -> None:
    history = honest()
    history.fires.clear()
    history.triggers.clear()

    assert judge(history).violations == {}


def test_who_starts_in_a_dying_process_may_start_again() -> None:
    history = honest()
    _die_while_jobs_begin(history, 70)

    assert judge(history).violations == {}


def test_what_a_mark_says_may_be_missing() -> None:
    """With the numbers that were lost, or without: an executor gives none to what it drops."""
    history = honest()
    history.lines += [StoredLine("b", 2, 2, "3 lines", 0.0, 3), StoredLine("b", 2, 5, "attempt 2 of b")]
    history.lines += [StoredLine("b", 1, 2, "3 lines", 0.0, 3), StoredLine("b", 1, 3, "attempt 1 of b")]

    assert judge(history).violations == {}


def test_every_rule_has_a_forgery() -> None:
    assert FORGED.keys() == RULES.keys()


@pytest.mark.parametrize(
    ("rule", "forge"),
    [
        pytest.param(rule, forge, id=f"{rule}: {forge.__name__.strip('_')}")
        for rule, forges in FORGED.items()
        for forge in forges
    ],
)
def test_a_forged_history_is_flagged(rule: str, forge: Forge) -> None:
    history = honest()
    forge(history)

    verdict = judge(history)

    assert rule in verdict.violations
    assert verdict.lost == (rule == "I1 lost")


def test_what_a_queue_is_judged_by_is_counted() -> None:
    history = honest()
    _invent_a_job(history)
    del history.jobs[-1]
    history.events = [event for event in history.events if event.mark != 1 or event.kind == "invoke"]
    history.events.append(Event(at=1.7, kind="end", job="b", attempt=1, how="done"))

    verdict = judge(history)

    assert (verdict.lost, verdict.duplicated, verdict.recovered, verdict.unexpected) == (0, 1, 1, 1)
    assert "recovered 1, unexpected 1" in str(verdict)


def test_it_is_said_how_late_jobs_started() -> None:
    """They were due at 0.15 and started at 1, 1 and 2."""
    assert "started late: p50 0.850 s, p95 1.850 s, p99 1.850 s" in str(judge(honest()))
