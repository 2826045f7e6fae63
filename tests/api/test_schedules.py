"""`jp.schedules`: the schedules of a tenant, through the library."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from jobplane import (
    AlreadyExists,
    Backoff,
    Context,
    Invalid,
    InvalidTemplate,
    InvalidTimetable,
    Jobplane,
    RevisionMismatch,
    Schedules,
    TriggerNotFound,
    UnknownDefinition,
)
from jobplane.testing import Attempt


@pytest.fixture
def plane(tmp_path: Path) -> Iterator[Jobplane]:
    with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}", app="shop", version="1") as plane:

        @plane.job("report")
        def report(ctx: Context, day: str) -> str:
            return day

        plane.sync()
        yield plane


def test_a_schedule_is_made_read_changed_and_deleted(plane: Jobplane) -> None:
    made = plane.schedules.create(
        "Nightly report",
        "report",
        {"day": "{{ schedule.local_date }}"},
        key="nightly",
        cron_expr="0 2 * * *",
        timezone="America/New_York",
        overlap="skip",
        backoff=Backoff(base=1, cap=60),
    )
    assert (made.label, made.definition_key, made.overlap, made.version) == ("Nightly report", "report", "skip", 1)
    assert made.backoff is not None
    assert made.backoff["cap"] == 60
    assert made.next_run_at is not None

    for name in (made, made.id, str(made.id), "nightly"):
        assert plane.schedules.get(name) == made
    changed = plane.schedules.update("nightly", cron_expr=None, interval_seconds=900, timezone=None, version=1)
    assert (changed.interval_seconds, changed.timezone, changed.version) == (900, None, 2)
    assert changed.next_run_at is not None
    assert changed.next_run_at.minute % 15 == 0
    with pytest.raises(RevisionMismatch):
        plane.schedules.update(made, label="stale", version=1)
    with pytest.raises(AlreadyExists):
        plane.schedules.create("again", "report", {"day": "x"}, key="nightly", cron_expr="@daily")

    off = plane.schedules.disable(made, reason="holiday")
    assert (off.is_enabled, off.disabled_reason, off.next_run_at) == (False, "holiday", None)
    assert plane.schedules.enable("nightly").next_run_at is not None

    plane.schedules.delete("nightly")
    with pytest.raises(TriggerNotFound):
        plane.schedules.get(made)
    assert [*plane.schedules.list()] == []


def test_a_definition_may_be_the_function_itself(plane: Jobplane) -> None:
    @plane.job("count")
    def count(n: int = 1) -> int:
        return n

    made = plane.schedules.create("counting", count, interval_seconds=60)
    plane.schedules.create("report", "report", {"day": "x"}, interval_seconds=60, is_enabled=False)

    assert made.definition_key == "count"
    assert [each.id for each in plane.schedules.list(definition=count)] == [made.id]
    assert [each.label for each in plane.schedules.list(is_enabled=False)] == ["report"]
    assert [*plane.schedules.list(late_seconds=60)] == []
    assert plane.schedules.update(made, definition="report", payload={"day": "x"}).definition_key == "report"


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"cron_expr": "61 * * * *"}, InvalidTimetable),
        ({"cron_expr": "@daily", "timezone": "Mars/Olympus"}, InvalidTimetable),
        ({"cron_expr": "@daily", "interval_seconds": 60}, InvalidTimetable),
        ({}, InvalidTimetable),
        ({"cron_expr": "@daily", "starts_at": datetime(2030, 1, 1)}, Invalid),  # noqa: DTZ001 that is what is wrong
        ({"cron_expr": "@daily", "overlap": "sometimes"}, Invalid),
        ({"cron_expr": "@daily", "colour": "red"}, Invalid),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(plane: Jobplane, fields: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        plane.schedules.create("x", "report", **fields)  # pyright: ignore[reportArgumentType]


def test_an_unknown_definition_or_template_is_refused(plane: Jobplane) -> None:
    with pytest.raises(UnknownDefinition):
        plane.schedules.create("x", "nothing", cron_expr="@daily")
    with pytest.raises(InvalidTemplate):
        plane.schedules.create("x", "report", {"day": "{{ moon.phase }}"}, cron_expr="@daily")


def test_what_would_keep_jobs_from_being_made_is_a_warning(plane: Jobplane, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "jobplane.schedules"):
        plane.schedules.create("x", "report", {"date": "x"}, cron_expr="@daily")

    assert "does not fit" in caplog.text


def test_a_timetable_can_be_looked_at_before_it_is_stored(plane: Jobplane) -> None:
    shown = plane.schedules.preview(cron_expr="0 2 * * *", timezone="America/New_York", count=3)
    told = plane.schedules.simulate(
        cron_expr="30 2 * * *",
        timezone="America/New_York",
        start=datetime(2025, 1, 1, 5, tzinfo=UTC),
        until=datetime(2026, 1, 1, 5, tzinfo=UTC),
    )
    stored = plane.schedules.create("x", "report", {"day": "x"}, cron_expr="0 2 * * *", timezone="America/New_York")

    assert (shown.timezone, len(shown.times)) == ("America/New_York", 3)
    assert plane.schedules.preview(stored, count=3) == shown
    assert (told.simulation.count, [day.day.month for day in told.simulation.dst_days]) == (365, [3, 11])
    assert plane.schedules.simulate(stored).simulation.count >= 364
    with pytest.raises(Invalid, match="not both"):
        plane.schedules.preview(stored, cron_expr="@daily")
    with pytest.raises(Invalid, match="Name a schedule"):
        plane.schedules.preview()


def test_a_schedule_fires_now_and_for_times_of_the_past(plane: Jobplane) -> None:
    made = plane.schedules.create("x", "report", {"day": "{{ schedule.local_date }}"}, cron_expr="0 0 * * *")
    handle = plane.schedules.fire(made)
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    window = today - timedelta(days=2), today - timedelta(hours=1)

    told = plane.schedules.backfill(made, *window, dry_run=True)
    assert [answer.outcome for answer in told] == ["fired", "fired"]
    assert len([*plane.list(trigger_id=made.id)]) == 1
    filled = plane.schedules.backfill(made, *window)
    again = plane.schedules.backfill(made, *window)
    assert plane.drain() == 3

    assert (handle.created, plane.get(handle).trigger_id) == (True, made.id)
    assert [plane.result(answer.job_id or "") for answer in filled] == [
        str((today - timedelta(days=days)).date()) for days in (2, 1)
    ]
    assert [answer.outcome for answer in again] == ["existing", "existing"]
    assert [fire.kind for fire in plane.schedules.fires(made)] == ["manual", "backfill", "backfill"]
    assert {fire.status for fire in plane.schedules.fires(made, outcomes=["fired"])} == {"succeeded"}
    assert [*plane.schedules.fires(made, outcomes=["missed"])] == []
    assert plane.count(trigger_id=made.id).total == 3


def test_each_tenant_has_its_own(plane: Jobplane) -> None:
    plane.create_tenant("acme")
    hers = plane.schedules.create("x", "report", {"day": "x"}, cron_expr="@daily", tenant="acme")

    assert [*plane.schedules.list()] == []
    assert [each.id for each in plane.schedules.list(tenant="acme")] == [hers.id]
    with pytest.raises(TriggerNotFound):
        plane.schedules.fire(hers)
    handle = plane.schedules.fire(hers, tenant="acme")
    assert handle.tenant_id == hers.tenant_id == plane.get_tenant("acme").tenant_id
    assert plane.get(handle).trigger_id == hers.id


async def test_each_call_can_be_awaited(plane: Jobplane) -> None:
    schedules = plane.schedules
    made = await schedules.create_async("x", "report", {"day": "x"}, key="k", cron_expr="@hourly")
    assert [each.id async for each in schedules.list_async()] == [made.id]
    assert (await schedules.update_async("k", label="y")).label == "y"
    assert not (await schedules.disable_async("k")).is_enabled
    assert (await schedules.enable_async("k")).is_enabled
    assert len((await schedules.preview_async("k")).times) == 5
    assert (await schedules.simulate_async("k")).simulation.count > 8000
    handle = await schedules.fire_async("k")
    now = datetime.now(UTC)
    filled = await schedules.backfill_async("k", now - timedelta(hours=2), now)
    assert len([fire async for fire in schedules.fires_async("k")]) == 1 + len(filled)
    assert (await plane.get_async(handle)).trigger_id == (await schedules.get_async("k")).id
    await schedules.delete_async("k")
    with pytest.raises(TriggerNotFound):
        await schedules.get_async(uuid4())
    await plane.aclose()


def test_the_noun_is_made_once(plane: Jobplane) -> None:
    assert plane.schedules is plane.schedules
    assert isinstance(plane.schedules, Schedules)


def test_a_handler_knows_its_schedule_its_planned_time_and_how_late_it_is(plane: Jobplane) -> None:
    seen: list[tuple[object, ...]] = []

    @plane.job("look")
    def look(ctx: Context) -> None:
        seen.append((ctx.trigger_id, ctx.planned_at, ctx.late_seconds))

    made = plane.schedules.create("x", look, cron_expr="0 0 * * *")
    midnight = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0) - timedelta(days=1)
    plane.schedules.backfill(made, midnight, midnight)
    look.enqueue()
    before = datetime.now(UTC)
    plane.drain()
    after = datetime.now(UTC)

    (trigger, planned, late), plain = seen
    assert (trigger, planned) == (made.id, midnight)
    assert isinstance(late, float)
    assert (before - midnight).total_seconds() <= late <= (after - midnight).total_seconds()
    assert plain == (None, None, None)


def test_a_test_may_choose_the_planned_time() -> None:
    plane = Jobplane("sqlite:///:memory:")

    @plane.job("look")
    def look(ctx: Context) -> tuple[str, bool]:
        return str(ctx.trigger_id), (ctx.late_seconds or 0) > 3000

    trigger = uuid4()
    attempt = Attempt(trigger_id=trigger, planned_at=datetime.now(UTC) - timedelta(hours=1))

    assert attempt.run(look) == (str(trigger), True)
