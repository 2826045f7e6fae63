"""Triggers: rules that start jobs. `/schedules` and `/jobs/triggers` are one resource."""

from __future__ import annotations

from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response

from jobplane.control.triggers import AllTriggers, Triggers
from jobplane.core.triggers import TriggerFilter
from jobplane.server import trigger_shapes as shapes
from jobplane.server.cursors import id_of, time_of
from jobplane.server.entry import Cursor, Known, Limit, Tenant, TenantName, state_of
from jobplane.server.pages import Listing
from jobplane.server.rendering import answer
from jobplane.server.revisions import revision_of, tag
from jobplane.server.shapes import ReasonBody, Time
from jobplane.server.trigger_shapes import (
    BackfillBody,
    TriggerBody,
    TriggerChanges,
    backfill_fields,
    fire_fields,
    fired_fields,
    preview_fields,
    saved_fields,
    simulation_fields,
    trigger_fields,
)
from jobplane.server.unchanged import UNCHANGED, Seen

router: Final = APIRouter(tags=["triggers"])
Named = Annotated[str, Path(max_length=200, description="The id or the key of a trigger.")]
Match = Annotated[str | None, Header(alias="If-Match", max_length=40, description="The ETag that the caller has seen.")]
Count = Annotated[int, Query(ge=1, le=100, description="How many planned times.")]
Cron = Annotated[str | None, Query(max_length=200, description="Five fields, or a name like @daily.")]
Interval = Annotated[int | None, Query(ge=1, le=31_622_400)]
Once = Annotated[bool, Query(description="At starts_at alone.")]
Zone = Annotated[str | None, Query(max_length=64, description="An IANA time zone; the tenant's by default.")]
FireOutcome = Literal["fired", "skipped", "missed", "refused", "waiting"]
NO_REASON: Final = ReasonBody()


async def _listed(request: Request, caller: Known, tenant: TenantName = None) -> Triggers | AllTriggers:
    return await state_of(request).entrance.triggers(caller, tenant)


async def _to_read(
    request: Request, caller: Known, trigger: Named, tenant: TenantName = None
) -> tuple[Triggers, UUID | str]:
    return await state_of(request).entrance.of_trigger(caller, tenant, trigger)


async def _to_change(plane: Tenant, trigger: Named) -> tuple[Triggers, UUID | str]:
    return plane.triggers, trigger


def _where(
    definition_key: Annotated[str | None, Query(max_length=200)] = None,
    is_enabled: Annotated[bool | None, Query()] = None,
    late: Annotated[bool, Query(description="Only those that are late.")] = False,
    late_seconds: Annotated[float, Query(ge=0, le=31_622_400, description="From when on they count as late.")] = 60.0,
) -> TriggerFilter:
    return TriggerFilter(
        definition_key=definition_key, is_enabled=is_enabled, late_seconds=late_seconds if late else None
    )


Listed = Annotated[Triggers | AllTriggers, Depends(_listed)]
ToRead = Annotated[tuple[Triggers, UUID | str], Depends(_to_read)]
ToChange = Annotated[tuple[Triggers, UUID | str], Depends(_to_change)]  # a super admin has to name the tenant
Where = Annotated[TriggerFilter, Depends(_where)]


@router.get("/jobs/triggers", operation_id="listTriggers", response_model=shapes.TriggerPage, responses=UNCHANGED)
@router.get("/schedules", operation_id="listSchedules", response_model=shapes.TriggerPage, responses=UNCHANGED)
async def list_triggers(
    triggers: Listed, pages: Listing, where: Where, limit: Limit = 100, cursor: Cursor = None, seen: Seen = None
) -> Response:
    """List triggers, the newest first. A super admin who names no tenant sees those of all."""
    page = await triggers.list(where, limit=limit, before=id_of(cursor))
    return pages.answer_unless(seen, page, trigger_fields, page.next_cursor and str(page.next_cursor))


@router.post("/jobs/triggers", operation_id="createTrigger", status_code=201, response_model=shapes.TriggerOut)
@router.post("/schedules", operation_id="createSchedule", status_code=201, response_model=shapes.TriggerOut)
async def create_trigger(body: TriggerBody, plane: Tenant) -> Response:
    """Make a trigger. `warnings` says what would keep its jobs from being made."""
    saved = await plane.triggers.create(body.document())
    return answer(saved_fields(saved), 201, tag(saved.trigger.version))


@router.get("/schedules/preview", operation_id="previewTimetable", response_model=shapes.PreviewOut)
async def preview_timetable(
    plane: Tenant,
    cron_expr: Cron = None,
    interval_seconds: Interval = None,
    once: Once = False,
    timezone: Zone = None,
    starts_at: Time | None = None,
    ends_at: Time | None = None,
    count: Count = 5,
) -> Response:
    """Say in words when a timetable fires, and list its next times with the days on which the clocks change."""
    document = shapes.timetable_document(cron_expr, interval_seconds, timezone, starts_at, ends_at, once=once)
    return answer(preview_fields(await plane.triggers.preview_document(document, count=count)))


@router.get("/schedules/simulate", operation_id="simulateTimetable", response_model=shapes.SimulationOut)
async def simulate_timetable(
    plane: Tenant,
    cron_expr: Cron = None,
    interval_seconds: Interval = None,
    once: Once = False,
    timezone: Zone = None,
    start: Time | None = None,
    until: Time | None = None,
) -> Response:
    """Say what a timetable would have done, by default over the last 365 days."""
    document = shapes.timetable_document(cron_expr, interval_seconds, timezone, once=once)
    return answer(simulation_fields(await plane.triggers.simulate_document(document, start=start, until=until)))


@router.get("/jobs/triggers/{trigger}", operation_id="getTrigger", response_model=shapes.TriggerOut)
@router.get("/schedules/{trigger}", operation_id="getSchedule", response_model=shapes.TriggerOut)
async def get_trigger(named: ToRead) -> Response:
    """Get a trigger."""
    triggers, trigger = named
    found = await triggers.get(trigger)
    return answer(trigger_fields(found), headers=tag(found.version))


@router.patch("/jobs/triggers/{trigger}", operation_id="changeTrigger", response_model=shapes.TriggerOut)
@router.patch("/schedules/{trigger}", operation_id="changeSchedule", response_model=shapes.TriggerOut)
async def change_trigger(named: ToChange, body: TriggerChanges, if_match: Match = None) -> Response:
    """Change a trigger. A change of its times computes the next one again, from now on."""
    triggers, trigger = named
    saved = await triggers.change(trigger, body.document(), version=revision_of(if_match))
    return answer(saved_fields(saved), headers=tag(saved.trigger.version))


@router.delete("/jobs/triggers/{trigger}", operation_id="deleteTrigger", status_code=204)
@router.delete("/schedules/{trigger}", operation_id="deleteSchedule", status_code=204)
async def delete_trigger(named: ToChange, if_match: Match = None) -> Response:
    """Delete a trigger with the record of its fires. Its jobs stay."""
    triggers, trigger = named
    await triggers.delete(trigger, version=revision_of(if_match))
    return Response(status_code=204)


@router.post("/schedules/{trigger}/enable", operation_id="enableSchedule", response_model=shapes.TriggerOut)
async def enable_schedule(named: ToChange) -> Response:
    """Let a schedule fire again, from now on. What was due meanwhile does not fire."""
    triggers, trigger = named
    saved = await triggers.enable(trigger)
    return answer(saved_fields(saved), headers=tag(saved.trigger.version))


@router.post("/schedules/{trigger}/disable", operation_id="disableSchedule", response_model=shapes.TriggerOut)
async def disable_schedule(named: ToChange, body: ReasonBody = NO_REASON) -> Response:
    """Let a schedule not fire any more. Its history stays."""
    triggers, trigger = named
    saved = await triggers.disable(trigger, reason=body.reason)
    return answer(saved_fields(saved), headers=tag(saved.trigger.version))


@router.post("/schedules/{trigger}/fire", operation_id="fireSchedule", status_code=201, response_model=shapes.FiredOut)
async def fire_schedule(named: ToChange) -> Response:
    """Make a job of a schedule now, whatever its timetable and its overlap rule say."""
    triggers, trigger = named
    return answer(fired_fields(await triggers.fire(trigger)), 201)


@router.post("/schedules/{trigger}/backfill", operation_id="backfillSchedule", response_model=shapes.BackfillOut)
async def backfill_schedule(named: ToChange, body: BackfillBody) -> Response:
    """Make the jobs of planned times in the past that made none, each at most once."""
    triggers, trigger = named
    answers = await triggers.backfill(trigger, body.start, body.until, dry_run=body.dry_run)
    return answer(backfill_fields(answers, dry_run=body.dry_run))


@router.get("/schedules/{trigger}/fires", operation_id="listFires", response_model=shapes.FirePage, responses=UNCHANGED)
async def list_fires(
    named: ToRead,
    pages: Listing,
    outcome: Annotated[list[FireOutcome] | None, Query(max_length=5)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
    seen: Seen = None,
) -> Response:
    """List what became of the planned times of a schedule, the newest first."""
    triggers, trigger = named
    page = await triggers.fires(trigger, outcomes=outcome, limit=limit, before=time_of(cursor))
    return pages.answer_unless(seen, page, fire_fields, page.next_cursor and page.next_cursor.isoformat())


@router.get("/schedules/{trigger}/preview", operation_id="previewSchedule", response_model=shapes.PreviewOut)
async def preview_schedule(named: ToRead, count: Count = 5) -> Response:
    """List the next planned times of a schedule, with the days on which the clocks change."""
    triggers, trigger = named
    return answer(preview_fields(await triggers.preview(trigger, count=count)))


@router.get("/schedules/{trigger}/simulate", operation_id="simulateSchedule", response_model=shapes.SimulationOut)
async def simulate_schedule(named: ToRead, start: Time | None = None, until: Time | None = None) -> Response:
    """Say what a schedule would have done, by default over the last 365 days."""
    triggers, trigger = named
    return answer(simulation_fields(await triggers.simulate(trigger, start=start, until=until)))
