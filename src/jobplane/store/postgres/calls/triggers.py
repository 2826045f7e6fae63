"""Triggers and their fires."""

from __future__ import annotations

from functools import partial
from operator import itemgetter
from typing import Any, Final
from uuid import UUID

from jobplane.core.decoding import Reader, as_object, names_of, optional
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.core.triggers import (
    DueTrigger,
    DueTriggers,
    Fire,
    Fired,
    FiredByHand,
    PrunedFires,
    TenantClock,
    Trigger,
    TriggerFilter,
)
from jobplane.store.postgres.calls.call import Call, Rows, asks, door, nothing, one, uuids
from jobplane.store.verbs.triggers import (
    ChangeTrigger,
    CreateTrigger,
    DeleteTrigger,
    FindDueTriggers,
    FireByHand,
    FireTriggers,
    ListAllTriggers,
    ListFires,
    ListTriggers,
    PruneFires,
    ReadClock,
    RefreshZones,
)

_COLUMNS: Final = names_of(Trigger)
_TRIGGER: Final = asks(Trigger)
_FIRE: Final = asks(Fire)
_FILTER: Final = "(%s::uuid[], %s::text[], %s::text, %s::boolean, %s::float8, %s::int, %s::uuid)"
_DUE: Final = (
    "select now, next_seconds, (trigger).*, tenant_slug, tenant_name, arg_schema, revision, failures, is_limited,"
    " command from jobplane.due_triggers(%s::int, %s::int)"
)
_FIRES: Final = (
    "select trigger_id, outcome, job_id, reason from jobplane.fire(%s::uuid[], %s::uuid[], %s::int[],"
    " %s::timestamptz[], %s::text[], %s::timestamptz[], %s::text[]::jsonb[], %s::text[], %s::int[], %s::timestamptz[],"
    " %s::timestamptz[], %s::text[], %s::text, %s::text)"
)
_trigger: Final = Reader(Trigger, payload_template=as_object, backoff=optional(as_object), created_by=as_object)
_fire: Final = Reader(Fire)


def read_clock(verb: ReadClock) -> Call[TenantClock]:
    return door(verb.tenant, asks(TenantClock), "tenant_clock()", (), lambda rows: TenantClock(*rows[0]))


def create_trigger(verb: CreateTrigger) -> Call[Trigger]:
    document = encode_document(verb.document, "trigger")
    return door(verb.tenant, _TRIGGER, "create_trigger(%s::jsonb)", (document,), _first)


def change_trigger(verb: ChangeTrigger) -> Call[Trigger]:
    parameters = (verb.trigger_id, encode_document(verb.changes, "changes"), verb.version)
    return door(verb.tenant, _TRIGGER, "change_trigger(%s::uuid, %s::jsonb, %s::int)", parameters, _first)


def delete_trigger(verb: DeleteTrigger) -> Call[None]:
    function = "delete_trigger(%s::uuid, %s::int)"
    return door(verb.tenant, "select * from jobplane.", function, (verb.trigger_id, verb.version), nothing)


def list_triggers(verb: ListTriggers) -> Call[Page[Trigger, UUID]]:
    parameters = _filter(verb.where, verb.limit, verb.before)
    return door(verb.tenant, _TRIGGER, "list_triggers" + _FILTER, parameters, _page(verb.limit))


def list_all_triggers(verb: ListAllTriggers) -> Call[Page[Trigger, UUID]]:
    parameters = _filter(verb.where, verb.limit, verb.before)
    return Call("admin", _TRIGGER + "list_all_triggers" + _FILTER, parameters, _page(verb.limit))


def list_fires(verb: ListFires) -> Call[Page[Fire, Any]]:
    outcomes = None if verb.outcomes is None else list(verb.outcomes)
    return door(
        verb.tenant,
        _FIRE,
        "list_fires(%s::uuid, %s::text[], %s::int, %s::timestamptz)",
        (verb.trigger_id, outcomes, verb.limit, verb.before),
        partial(page_of, limit=verb.limit, read=_fire, cursor=itemgetter(0)),
    )


def fire_by_hand(verb: FireByHand) -> Call[list[FiredByHand]]:
    payloads = [encode_document(payload, "payload") for payload in verb.payloads]
    return door(
        verb.tenant,
        asks(FiredByHand),
        "fire_trigger(%s::uuid, %s::int, %s::text, %s::timestamptz[], %s::text[]::jsonb[])",
        (verb.trigger_id, verb.version, verb.kind, list(verb.planned), payloads),
        lambda rows: [FiredByHand(*row) for row in rows],
    )


def find_due_triggers(verb: FindDueTriggers) -> Call[DueTriggers]:
    return Call("scheduler", _DUE, (verb.limit, verb.late_limit), _read_due)


def _read_due(rows: Rows) -> DueTriggers:
    width = 2 + len(_COLUMNS)
    due = [DueTrigger(_trigger(row[2:width]), *row[width:]) for row in rows if row[2] is not None]
    return DueTriggers(rows[0][0], rows[0][1], due)


def fire_triggers(verb: FireTriggers) -> Call[list[Fired]]:
    decided = verb.decisions
    columns = (
        [d.trigger.tenant_id for d in decided],
        [d.trigger.id for d in decided],
        [d.trigger.version for d in decided],
        [d.trigger.next_run_at for d in decided],
        [str(d.action) for d in decided],
        [d.planned_at for d in decided],
        [None if d.payload is None else encode_document(d.payload, "payload") for d in decided],
        [d.reason for d in decided],
        [d.missed for d in decided],
        [d.next_run_at for d in decided],
        [d.due_at for d in decided],
        [d.over for d in decided],
    )
    parameters = (*columns, verb.zone_version, verb.by)
    return Call("scheduler", _FIRES, parameters, lambda rows: [Fired(*row) for row in rows])


def refresh_zones(verb: RefreshZones) -> Call[int]:
    return Call("scheduler", "select jobplane.refresh_zones(%s::text, %s::int)", (verb.zone_version, verb.limit), one)


def prune_fires(verb: PruneFires) -> Call[PrunedFires]:
    tenant, trigger = verb.after or (None, None)
    statement = (
        "select removed, tenant_id, trigger_id from jobplane.prune_fires(%s::uuid, %s::uuid, %s::int, %s::boolean)"
    )
    return Call("scheduler", statement, (tenant, trigger, verb.limit, verb.dry_run), _read_pruned)


def _read_pruned(rows: Rows) -> PrunedFires:
    removed, tenant, trigger = rows[0]
    return PrunedFires(removed, None if trigger is None else (tenant, trigger))


def _filter(where: TriggerFilter, limit: int, before: UUID | None) -> tuple[object, ...]:
    ids = None if where.ids is None else uuids(where.ids)
    keys = None if where.keys is None else list(where.keys)
    return (ids, keys, where.definition_key, where.is_enabled, where.late_seconds, limit, before)


def _page(limit: int) -> Any:
    return partial(page_of, limit=limit, read=_trigger, cursor=itemgetter(0))


def _first(rows: Rows) -> Trigger:
    return _trigger(rows[0])
