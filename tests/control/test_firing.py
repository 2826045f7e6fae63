"""What the scheduler decides about a schedule that is due: pure, on made-up triggers."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from jobplane.control.firing import decide
from jobplane.core.timetable import TZDATA_VERSION, spread
from jobplane.core.triggers import Action, Decision, DueTrigger, Trigger

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
MINUTE, SECOND, DAY = timedelta(minutes=1), timedelta(seconds=1), timedelta(days=1)
TENANT = UUID(int=1)


def due(**values: Any) -> DueTrigger:
    """A minutely schedule that is due at noon."""
    base = Trigger(
        id=UUID("01a1eeb3-3eb5-7752-af36-4c0efc2b60a6"),
        tenant_id=TENANT,
        key="k",
        label="minutely",
        trigger_type="schedule",
        event_name=None,
        cron_expr=None,
        interval_seconds=60,
        once=False,
        timezone="UTC",
        starts_at=None,
        ends_at=None,
        definition_key="d",
        payload_template={},
        dedupe_window_seconds=300,
        missed="latest",
        missed_limit=10,
        overlap="allow",
        spread_seconds=0,
        pause_after_failures=None,
        max_attempts=None,
        priority=None,
        queue=None,
        backoff=None,
        is_enabled=True,
        disabled_reason=None,
        next_run_at=NOON,
        due_at=NOON,
        waiting_at=None,
        zone_version=TZDATA_VERSION,
        last_run_at=None,
        last_fired_at=None,
        last_job_id=None,
        last_outcome=None,
        last_reason=None,
        version=1,
        created_by={},
        created_at=NOON - DAY,
        updated_at=NOON - DAY,
        tenant_timezone="UTC",
        late_seconds=None,
    )
    own = {name: value for name, value in values.items() if name in ("failures", "arg_schema")}
    trigger = replace(base, **{name: value for name, value in values.items() if name not in own})
    return DueTrigger(trigger, "acme", "Acme", own.get("arg_schema", True), 1, own.get("failures"), is_limited=False)


def shown(decision: Decision) -> tuple[Action, datetime | None, int, datetime | None]:
    return decision.action, decision.planned_at, decision.missed, decision.next_run_at


@pytest.mark.parametrize("late", [timedelta(), SECOND, 59 * SECOND])
def test_a_planned_time_within_the_last_minute_fires(late: timedelta) -> None:
    decision = decide(due(), NOON + late)

    assert shown(decision) == (Action.FIRE, NOON, 0, NOON + MINUTE)
    assert (decision.due_at, decision.over, decision.payload) == (NOON + MINUTE, None, {})


@pytest.mark.parametrize("missed", ["latest", "skip", "all"])
def test_times_that_are_not_a_minute_late_fire_one_after_another(missed: str) -> None:
    """A schedule of every ten seconds after a pause of thirty: none of them counts as missed."""
    decision = decide(due(interval_seconds=10, missed=missed), NOON + 35 * SECOND)

    assert shown(decision) == (Action.FIRE, NOON, 0, NOON + 10 * SECOND)


def test_latest_fires_the_newest_of_what_was_missed_and_counts_the_rest() -> None:
    hourly = due(interval_seconds=3600, next_run_at=NOON - DAY)

    decision = decide(hourly, NOON + 30 * MINUTE)

    assert shown(decision) == (Action.FIRE, NOON, 24, NOON + timedelta(hours=1))


def test_latest_fires_a_single_missed_time() -> None:
    daily = due(interval_seconds=None, cron_expr="0 12 * * *")

    assert shown(decide(daily, NOON + timedelta(hours=3))) == (Action.FIRE, NOON, 0, NOON + DAY)


def test_latest_fires_what_is_on_time_and_passes_over_the_rest() -> None:
    decision = decide(due(next_run_at=NOON - DAY), NOON + 30 * SECOND)

    assert shown(decision) == (Action.FIRE, NOON, 1440, NOON + MINUTE)


def test_skip_fires_nothing_that_was_missed() -> None:
    hourly = due(interval_seconds=3600, missed="skip", next_run_at=NOON - DAY)

    decision = decide(hourly, NOON + 30 * MINUTE)

    assert shown(decision) == (Action.MISS, NOON, 24, NOON + timedelta(hours=1))
    assert decision.reason == "missed"


def test_skip_fires_what_is_on_time() -> None:
    decision = decide(due(missed="skip", next_run_at=NOON - DAY), NOON + 30 * SECOND)

    assert shown(decision) == (Action.FIRE, NOON, 1440, NOON + MINUTE)


def test_all_fires_the_newest_so_many_in_order() -> None:
    minutely = due(missed="all", missed_limit=3, next_run_at=NOON - timedelta(hours=1))
    now, found = NOON + 30 * SECOND, list[tuple[datetime | None, int]]()
    for _ in range(4):
        decision = decide(minutely, now)
        found.append((decision.planned_at, decision.missed))
        minutely = due(missed="all", missed_limit=3, next_run_at=decision.next_run_at)

    assert found == [(NOON - 2 * MINUTE, 58), (NOON - MINUTE, 0), (NOON, 0), (None, 0)]


def test_all_fires_everything_where_there_is_less_than_the_limit() -> None:
    hourly = due(interval_seconds=3600, missed="all", next_run_at=NOON - timedelta(hours=2))

    assert shown(decide(hourly, NOON + 30 * MINUTE)) == (
        Action.FIRE,
        NOON - timedelta(hours=2),
        0,
        NOON - timedelta(hours=1),
    )


def test_a_spread_moves_when_it_is_due_and_not_what_is_planned() -> None:
    found = due(spread_seconds=600)
    later = spread(found.trigger.id, 600)

    early, on_time = decide(found, NOON + later - SECOND), decide(found, NOON + later)

    assert early.action is Action.MOVE
    assert (on_time.action, on_time.planned_at, on_time.due_at) == (Action.FIRE, NOON, NOON + MINUTE + later)


def test_a_single_time_is_done_when_it_has_fired() -> None:
    decision = decide(due(interval_seconds=None, once=True, starts_at=NOON), NOON)

    assert (shown(decision), decision.over) == ((Action.FIRE, NOON, 0, None), "done")


def test_a_schedule_ends_with_its_last_time() -> None:
    decision = decide(due(ends_at=NOON), NOON)

    assert (shown(decision), decision.over) == ((Action.FIRE, NOON, 0, None), "ended")


def test_failures_in_a_row_switch_it_off_before_it_fires_again() -> None:
    still = decide(due(pause_after_failures=3, failures=2), NOON)
    over = decide(due(pause_after_failures=3, failures=3), NOON)

    assert still.action is Action.FIRE
    assert (over.action, over.planned_at, over.over) == (Action.DISABLE, None, "failures: the last 3 jobs have failed")


def test_a_time_that_waits_is_released_while_no_other_has_come() -> None:
    waits = due(waiting_at=NOON - MINUTE, next_run_at=NOON + MINUTE)
    both = due(waiting_at=NOON - MINUTE)

    assert shown(decide(waits, NOON)) == (Action.RELEASE, NOON - MINUTE, 0, NOON + MINUTE)
    assert shown(decide(both, NOON)) == (Action.FIRE, NOON, 0, NOON + MINUTE)


def test_the_last_time_that_waits_is_released_and_ends_the_schedule() -> None:
    decision = decide(due(waiting_at=NOON, next_run_at=None), NOON + SECOND)

    assert (shown(decision), decision.over) == ((Action.RELEASE, NOON, 0, None), "ended")


def test_other_rules_of_time_zones_set_the_next_time_again() -> None:
    moved = due(interval_seconds=None, cron_expr="0 2 * * *", timezone="Asia/Tokyo", next_run_at=NOON + DAY)

    assert shown(decide(moved, NOON)) == (Action.MOVE, None, 0, datetime(2026, 3, 2, 17, 0, tzinfo=UTC))


def test_a_time_that_is_due_fires_before_its_rules_are_looked_at_again() -> None:
    stale = due(interval_seconds=None, cron_expr="0 2 * * *", timezone="Asia/Tokyo", zone_version="1999")

    assert shown(decide(stale, NOON)) == (Action.FIRE, NOON, 0, datetime(2026, 3, 2, 17, 0, tzinfo=UTC))


def test_other_rules_of_time_zones_pass_over_no_time_that_waits_for_its_spread() -> None:
    stale = due(interval_seconds=None, cron_expr="0 * * * *", spread_seconds=3600, zone_version="1999")
    share = spread(stale.trigger.id, 3600)

    decision = decide(stale, NOON + share - SECOND)

    assert shown(decision) == (Action.MOVE, None, 0, NOON)
    assert decision.due_at == NOON + share


def test_other_rules_of_time_zones_count_where_a_job_waits_for_the_one_before() -> None:
    stale = due(
        interval_seconds=None,
        cron_expr="0 2 * * *",
        timezone="Asia/Tokyo",
        zone_version="1999",
        next_run_at=NOON + DAY,
        waiting_at=NOON - MINUTE,
    )

    assert shown(decide(stale, NOON)) == (
        Action.RELEASE,
        NOON - MINUTE,
        0,
        datetime(2026, 3, 2, 17, 0, tzinfo=UTC),
    )


def test_a_time_zone_that_is_gone_switches_it_off_with_the_reason() -> None:
    decision = decide(due(timezone="Mars/Olympus"), NOON)

    assert decision.action is Action.DISABLE
    assert decision.over is not None
    assert decision.over.startswith("invalid_timetable: ")


def test_the_payload_is_rendered_with_the_planned_time() -> None:
    template = {
        "at": "{{ schedule.planned_at }}",
        "day": "{{ schedule.local_date }}",
        "late": "{{ schedule.late_seconds }}",
        "before": "{{ schedule.previous_at }}",
        "who": "{{ tenant.slug }}/{{ trigger.key }}",
    }
    found = due(payload_template=template, timezone="Pacific/Kiritimati", last_run_at=NOON - MINUTE)

    assert decide(found, NOON + 3 * SECOND).payload == {
        "at": "2026-03-02T12:00:00Z",
        "day": "2026-03-03",
        "late": 3,
        "before": "2026-03-02T11:59:00Z",
        "who": "acme/k",
    }


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"payload_template": {"x": "{{ trigger.key | int }}"}}, "template_refused"),
        ({"arg_schema": {"type": "object", "required": ["x"]}}, "invalid_payload"),
        ({"payload_template": {"x": "{{ schedule.moon }}"}}, "invalid_template"),
    ],
)
def test_a_payload_that_cannot_be_is_a_refusal_and_the_next_time_comes(values: dict[str, Any], code: str) -> None:
    decision = decide(due(**values), NOON)

    assert shown(decision) == (Action.REFUSE, NOON, 0, NOON + MINUTE)
    assert (decision.reason or "").split(":")[0] == code


def test_a_long_downtime_of_a_minutely_cron_is_decided_quickly() -> None:
    minutely = due(interval_seconds=None, cron_expr="* * * * *", next_run_at=NOON - 400 * DAY)

    assert shown(decide(minutely, NOON + 30 * SECOND)) == (Action.FIRE, NOON, 400 * 1440, NOON + MINUTE)
