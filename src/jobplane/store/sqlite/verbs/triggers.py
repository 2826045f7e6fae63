"""Triggers: made, changed, listed and deleted by their tenant."""
# ruff: noqa: S608 - statements are made of names that are written in the code

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, cast
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import Reader, document, loads, optional
from jobplane.core.errors import (
    AlreadyExists,
    Invalid,
    RevisionMismatch,
    TenantNotFound,
    TriggerNotFound,
    UnknownDefinition,
    UnknownQueue,
)
from jobplane.core.ids import new_id
from jobplane.core.model import Document
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.core.triggers import Fire, TenantClock, Trigger, TriggerFilter
from jobplane.store.base import Conn
from jobplane.store.sqlite import actors, checks, statements
from jobplane.store.sqlite.moment import SECOND, Moment, instant, micros, parse_uuid
from jobplane.store.sqlite.verbs.arrays import batch, dumps
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.sqlite.verbs.moves import states, tenant_no
from jobplane.store.sqlite.verbs.tenants import refuse_unknown
from jobplane.store.verbs.triggers import (
    ChangeTrigger,
    CreateTrigger,
    DeleteTrigger,
    ListAllTriggers,
    ListFires,
    ListTriggers,
    ReadClock,
)

_SQL: Final = statements.load_shared("triggers")
_WAIT: Final = 2 * SECOND
_LAST_ID: Final = "g"  # behind every uuid
_TIMES: Final = (
    *("starts_at", "ends_at", "next_run_at", "due_at", "waiting_at", "last_run_at", "last_fired_at"),
    *("created_at", "updated_at"),
)
_GIVEN_TIMES: Final = ("starts_at", "ends_at", "next_run_at", "due_at")
# What a document may name besides definition_key and queue. `created_by` and the like are no part of it.
_GIVEN: Final = (
    *("key", "label", "trigger_type", "event_name", "cron_expr", "interval_seconds", "once", "timezone", "starts_at"),
    *("ends_at", "payload_template", "dedupe_window_seconds", "missed", "missed_limit", "overlap", "spread_seconds"),
    *("pause_after_failures", "max_attempts", "priority", "backoff", "is_enabled", "disabled_reason", "next_run_at"),
    *("due_at", "zone_version"),
)
_KNOWN: Final = (*_GIVEN, "definition_key", "queue", "id")
_DEFAULTS: Final[Document] = {
    "trigger_type": "schedule",
    "once": False,
    "payload_template": {},
    "dedupe_window_seconds": 300,
    "missed": "latest",
    "missed_limit": 10,
    "overlap": "allow",
    "spread_seconds": 0,
    "is_enabled": True,
    "zone_version": "",
}
_reader: Final = Reader(
    Trigger,
    id=UUID,
    tenant_id=parse_uuid,
    once=bool,
    payload_template=document,
    backoff=optional(document),
    is_enabled=bool,
    last_job_id=optional(UUID),
    created_by=document,
    **dict.fromkeys(_TIMES, instant),
)
_WIDTH: Final = 41
_fire: Final = Reader(Fire, planned_at=instant, fired_at=instant, job_id=optional(UUID))
Row = Mapping[str, Any]


def read_trigger(row: tuple[Any, ...]) -> Trigger:
    """A row of the statement `show`; it ends with what verbs of the scheduler need besides."""
    return _reader(row[:_WIDTH])


def show(db: Conn, now: int, ids: list[str]) -> list[tuple[Any, ...]]:
    return db.rows(_SQL["show"], (now, batch(ids)))


def read_clock(db: Conn, moment: Moment, verb: ReadClock) -> TenantClock:
    rows = db.rows(statements.load_verb("tenant_clock")["find"], (checks.uuid(verb.tenant),))
    if not rows:
        raise TenantNotFound("There is no such tenant.")
    return TenantClock(instant(moment.now), *rows[0])


def create_trigger(db: Conn, moment: Moment, verb: CreateTrigger) -> Trigger:
    number = tenant_no(db, verb.tenant)
    if not number:
        raise TenantNotFound("There is no such tenant.")
    named = _decoded(verb.document)
    trigger_id = str(new_id()) if named.get("id") is None else _parse_id(named["id"])
    new: dict[str, Any] = {
        "trigger_id": trigger_id,
        "tenant_no": number,
        **_columns(db, {**_DEFAULTS, **named}),
        "enabled_at": moment.now,
        "version": 1,
        "created_by": actors.encoded(moment.actor),
        "created_at": moment.now,
        "updated_at": moment.now,
    }
    _refuse_taken(db, number, trigger_id, new.get("key"))
    _switch_off(new)
    names = ", ".join(new)
    places = ", ".join("?" for _ in new)
    db.rows(f"insert into jobplane_triggers ({names}) values ({places})", tuple(new.values()))
    audit(db, moment, "createTrigger", number, [trigger_id], after=_shown(new), facts={"label": new["label"]})
    return read_trigger(show(db, moment.now, [trigger_id])[0])


def change_trigger(db: Conn, moment: Moment, verb: ChangeTrigger) -> Trigger:
    old = find_row(db, verb.tenant, verb.trigger_id, verb.version)
    trigger_id = old["trigger_id"]
    new = {**old, **_columns(db, _decoded(verb.changes)), "version": old["version"] + 1, "updated_at": moment.now}
    _refuse_taken(db, old["tenant_no"], trigger_id, new["key"])
    _switch_off(new)
    if new["is_enabled"]:
        new["disabled_reason"] = None
        if not old["is_enabled"]:
            new["enabled_at"] = moment.now
        if new["waiting_at"] is not None:
            new["due_at"] = soon(moment, new["due_at"])
    places = ", ".join(f"{name} = ?" for name in new)
    db.rows(f"update jobplane_triggers set {places} where trigger_id = ?", (*new.values(), trigger_id))
    switched = "enableTrigger" if new["is_enabled"] else "disableTrigger"
    action = "changeTrigger" if bool(old["is_enabled"]) == bool(new["is_enabled"]) else switched
    changed = sorted(name for name in _decoded(verb.changes) if old.get(name) != new.get(name)) or None
    facts: Document = {"label": new["label"], "changed": changed}
    audit(db, moment, action, old["tenant_no"], [trigger_id], _shown(old), _shown(new), facts)
    return read_trigger(show(db, moment.now, [trigger_id])[0])


def delete_trigger(db: Conn, moment: Moment, verb: DeleteTrigger) -> None:
    old = find_row(db, verb.tenant, verb.trigger_id, verb.version)
    sql = statements.load_verb("delete_trigger")
    db.rows(sql["delete"], (old["trigger_id"],))
    db.rows(sql["fires"], (old["trigger_id"],))
    facts: Document = {"label": old["label"]}
    audit(db, moment, "deleteTrigger", old["tenant_no"], [old["trigger_id"]], _shown(old), None, facts)


def list_triggers(db: Conn, moment: Moment, verb: ListTriggers) -> Page[Trigger, UUID]:
    page = statements.load_verb("list_triggers")["page"]
    return _page(db, moment, page, (tenant_no(db, verb.tenant),), verb)


def list_all_triggers(db: Conn, moment: Moment, verb: ListAllTriggers) -> Page[Trigger, UUID]:
    return _page(db, moment, statements.load_verb("list_all_triggers")["page"], (), verb)


def _page(
    db: Conn, moment: Moment, page: str, whose: tuple[int, ...], verb: ListTriggers | ListAllTriggers
) -> Page[Trigger, UUID]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    before = _LAST_ID if verb.before is None else checks.uuid(verb.before)
    found = db.rows(page, (*whose, before, *_filter(verb.where, moment.now), most))
    rows = show(db, moment.now, [row[0] for row in found])
    return page_of(rows, most, read_trigger, lambda row: UUID(row[0]))


def _filter(where: TriggerFilter, now: int) -> tuple[object, ...]:
    ids = None if where.ids is None else batch(checks.uuids(where.ids))
    keys = None if where.keys is None else batch(checks.texts("key", where.keys))
    late = None if where.late_seconds is None else now - round(where.late_seconds * SECOND)
    return tuple(value for each in (ids, keys, where.definition_key, where.is_enabled, late) for value in (each, each))


def list_fires(db: Conn, _: Moment, verb: ListFires) -> Page[Fire, datetime]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    before = bounds.BIGINT if verb.before is None else checks.instant("before", verb.before)
    outcomes = None if verb.outcomes is None else batch(checks.texts("outcome", verb.outcomes))
    number = tenant_no(db, verb.tenant)
    values = (checks.uuid(verb.trigger_id), number, before, outcomes, outcomes, most)
    rows = db.rows(statements.load_verb("list_fires")["page"], values)
    found = states(db, verb.tenant, [row[6] for row in rows if row[6] is not None])
    told = [(*row[:7], str(found[row[6]][1]) if row[6] in found else None) for row in rows]
    return page_of(told, most, _fire, lambda row: cast("datetime", instant(row[0])))


def find_row(db: Conn, tenant: UUID, trigger_id: UUID, version: int | None) -> Row:
    """The columns of a tenant's trigger; raises TriggerNotFound and RevisionMismatch."""
    values = (checks.uuid(trigger_id), tenant_no(db, tenant))
    rows = db.rows(statements.load_verb("change_trigger")["row"], values)
    if not rows:
        raise TriggerNotFound(f"There is no trigger {trigger_id}.")
    row = dict(zip(_names(db), rows[0], strict=True))
    if version is not None and version != row["version"]:
        raise RevisionMismatch(
            f"Trigger {trigger_id} has version {row['version']}, not {version}. Read it again, and repeat the change.",
            revision=row["version"],
        )
    return row


def soon(moment: Moment, due: int | None) -> int:
    """When to look whether the job before the one that waits has ended, or earlier where something else is due."""
    return min(moment.now + _WAIT, moment.now + _WAIT if due is None else due)


def _names(db: Conn) -> list[str]:
    return [row[0] for row in db.rows("select name from pragma_table_info('jobplane_triggers') order by cid", ())]


def _parse_id(value: object) -> str:
    try:
        return str(UUID(checks.text("id", value)))
    except ValueError:
        raise Invalid("The trigger has a value that cannot be: its id must be a UUID.") from None


def _decoded(given: Document) -> dict[str, Any]:
    named: dict[str, Any] = loads(encode_document(given, "trigger"))
    refuse_unknown(named, _KNOWN)
    return named


def _columns(db: Conn, named: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that a document sets."""
    found: dict[str, Any] = {name: _column(name, named[name]) for name in _GIVEN if name in named}
    if "definition_key" in named:
        found["definition_id"] = _definition(db, named["definition_key"])
    if "queue" in named:
        found["queue_id"] = None if named["queue"] is None else _queue(db, named["queue"])
    return found


def _column(name: str, value: Any) -> Any:
    if value is None:
        return None
    if name in _GIVEN_TIMES:
        return micros(_time(name, value))
    if isinstance(value, dict):
        return dumps(cast("Document", value))
    return int(value) if isinstance(value, bool) else value


def _time(name: str, value: object) -> datetime:
    try:
        at = datetime.fromisoformat(checks.text(name, value))
    except ValueError:
        at = None
    if at is None or at.utcoffset() is None:
        raise Invalid(f"The {name} must be a time with its offset from UTC.")
    return at


def _definition(db: Conn, key: object) -> int:
    rows = db.rows(_SQL["definition"], (key,)) if isinstance(key, str) else []
    if not rows:
        raise UnknownDefinition(f'There is no definition "{key!s:.200}". Check the spelling, or create it first.')
    return rows[0][0]


def _queue(db: Conn, name: object) -> int:
    rows = db.rows(_SQL["queue"], (checks.text("queue", name),))
    if not rows:
        raise UnknownQueue(f'There is no queue "{name!s:.200}". Check the spelling, or create it first.')
    return rows[0][0]


def _refuse_taken(db: Conn, number: int, trigger_id: str, key: object) -> None:
    if key is not None and db.rows(statements.load_verb("create_trigger")["taken"], (number, key, trigger_id)):
        raise AlreadyExists(f'There is a trigger with the key "{key}" already. Change it, or use another key.')


def _switch_off(new: dict[str, Any]) -> None:
    if not new["is_enabled"]:
        new |= {"next_run_at": None, "due_at": None, "waiting_at": None}


def _shown(row: Row) -> Document:
    """A trigger for a digest."""
    return {name: str(value) for name, value in row.items() if name != "updated_at"}
