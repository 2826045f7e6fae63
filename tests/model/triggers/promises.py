"""What holds of schedules whatever has happened, said without a word about how it comes about."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from jobplane.control.planning import timetable_of
from tests.model.triggers.schedules import Schedule, Schedules

_TICK: Final = timedelta(microseconds=1)


def check(spec: Schedules) -> None:
    for known in spec.of.values():
        _has_a_due_time(known)
        _accounts_for_each_planned_time(spec, known)
        _keeps_its_overlap_rule(spec, known)


def _has_a_due_time(known: Schedule) -> None:
    trigger = known.trigger
    assert (trigger.due_at is not None) == trigger.is_enabled, "a schedule that is on has a due time, no other has"
    assert trigger.is_enabled or trigger.waiting_at is None, "a planned time waits for ever"
    waiting = [fire.planned_at for fire in known.fires.values() if fire.outcome == "waiting"]
    if trigger.waiting_at is not None and not known.by_hand:
        assert trigger.waiting_at in waiting, "a planned time waits that is not on record as waiting"


def _accounts_for_each_planned_time(spec: Schedules, known: Schedule) -> None:
    """Each one is on record, or is counted as missed by one that is."""
    trigger = known.trigger
    if known.by_hand or not trigger.is_enabled:
        return
    timetable = timetable_of(trigger)
    until = spec.now if trigger.next_run_at is None else trigger.next_run_at - _TICK
    planned = timetable.between(known.since, until, 100_000)
    recorded = [fire for at, fire in known.fires.items() if known.since < at <= until]
    assert sum(1 + fire.missed for fire in recorded) == len(planned), "a planned time is not accounted for"
    if trigger.missed == "all" and trigger.missed_limit == 1000 and known.one_rule:
        assert {fire.planned_at for fire in recorded} == set(planned), "a planned time was passed over"


def _keeps_its_overlap_rule(spec: Schedules, known: Schedule) -> None:
    if known.by_hand or not known.one_rule:
        return
    active = spec.active_jobs(known.trigger.id)
    match known.trigger.overlap:
        case "skip" | "queue_one":
            assert len(active) <= 1, "two jobs of a schedule that lets none overlap"
        case "cancel_previous":
            assert sum(not job.cancel_requested for job in active) <= 1, "the job before was not canceled"
        case _:
            pass
