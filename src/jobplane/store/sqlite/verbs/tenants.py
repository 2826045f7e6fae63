"""Tenants: the owners of jobs, with their weights and limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final, cast
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import FAULTS, Reader, loads
from jobplane.core.errors import AlreadyExists, Invalid, TenantNotFound
from jobplane.core.ids import new_id
from jobplane.core.model import Json, Tenant
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.core.tenants import judge_tenant
from jobplane.store.base import Conn
from jobplane.store.sqlite import actors, checks, statements
from jobplane.store.sqlite.cursors import cursor_of, key_of
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.verbs.jobs import FindTenant
from jobplane.store.verbs.operator import (
    CreateTenant,
    GetSlugs,
    GetTenant,
    ListTenants,
    PauseTenants,
    ResumeTenants,
    SetTenant,
)

_CHANGES: Final = ("slug", "name", "timezone", "weight", "max_in_flight", "max_pending")
RESUMED: Final = 1000
_tenant: Final = Reader(Tenant, tenant_id=UUID, paused_at=instant, created_at=instant, updated_at=instant)


def create_tenant(db: Conn, moment: Moment, verb: CreateTenant) -> Tenant:
    slug = verb.slug
    judge_tenant(asdict(verb), is_new=True)
    chosen = checks.uuid(new_id() if verb.tenant_id is None else verb.tenant_id)
    numbers = _numbers(verb.weight, verb.max_in_flight, verb.max_pending)
    values = (
        checks.text("name", verb.name),
        *numbers,
        checks.text("timezone", verb.timezone, 1, 64),
        moment.now,
        moment.now,
    )
    if db.rows(statements.load_verb("create_tenant")["taken"], (slug, chosen)):
        raise AlreadyExists("There is a tenant with this slug or id already. Choose another.")
    db.rows(statements.load_verb("create_tenant")["insert"], (chosen, slug, *values))
    new = _find(db, slug)
    audit(db, moment, "createTenant", _no(db, chosen), [chosen], after=_shown(new), facts={"slug": slug})
    return new


def _no(db: Conn, tenant_id: str) -> int:
    return db.rows(statements.load_shared("describe")["tenant"], (tenant_id,))[0][0]


def _shown(tenant: Tenant) -> Json:
    """A tenant for a digest, without the time of its last change."""
    return {name: str(value) for name, value in asdict(tenant).items() if name != "updated_at"}


def _numbers(weight: object, max_in_flight: object, max_pending: object) -> tuple[int, int | None, int | None]:
    return (
        bounds.whole("weight", weight, 1, 1000),
        checks.whole_or_none("max_in_flight", max_in_flight, 0),
        checks.whole_or_none("max_pending", max_pending, 0),
    )


def set_tenant(db: Conn, moment: Moment, verb: SetTenant) -> Tenant:
    named: dict[str, Any] = loads(encode_document(verb.changes, "changes"))
    refuse_unknown(named, _CHANGES)
    judge_tenant(named)
    tenant = checks.uuid(verb.tenant)
    old = _find(db, verb.tenant)
    kept = {name: value for name, value in named.items() if value is not None}
    slug, weight = _changed_slug(db, old, kept.get("slug")), kept.get("weight", old.weight)
    name, zone = kept.get("name", old.name), kept.get("timezone", old.timezone)
    limits = (named.get("max_in_flight", old.max_in_flight), named.get("max_pending", old.max_pending))
    values = (slug, name, zone, *_numbers(weight, *limits))
    db.rows(statements.load_verb("set_tenant")["update"], (*values, moment.now, tenant))
    if named.get("max_in_flight") is not None:
        rows = db.rows(statements.load_verb("set_tenant")["leases"], (tenant,))
        gates.count_leases(db, [(seq, keys, [key]) for seq, keys, key in rows])
    if zone != old.timezone:
        db.rows(statements.load_verb("set_tenant")["schedules"], (moment.now, tenant))
    new = _find(db, verb.tenant)
    before, after = _shown(old), _shown(new)
    if before != after:
        audit(db, moment, "changeTenant", _no(db, tenant), [tenant], before, after, {"changes": named})
    return new


def _changed_slug(db: Conn, old: Tenant, slug: object) -> str:
    if slug is None or slug == old.slug:
        return old.slug
    if old.slug in ("default", "system"):
        raise Invalid(f'The slug of the tenant "{old.slug}" cannot change: jobplane needs it. Create another tenant.')
    if db.rows(statements.load_verb("set_tenant")["taken"], (slug, str(old.tenant_id))):
        raise AlreadyExists("There is a tenant with this slug already. Choose another.")
    return cast("str", slug)


def refuse_unknown(document: object, known: Sequence[str]) -> None:
    """Raise Invalid for a document that is no object or names an unknown field."""
    if not isinstance(document, dict):
        raise Invalid("The document must be a JSON object.")
    if unknown := sorted(set(cast("dict[str, object]", document)) - set(known)):
        shown = ", ".join(f'"{name:.200}"' for name in unknown)
        raise Invalid(f"Unknown field: {shown}. Known fields: {', '.join(known)}.")


def pause_tenants(db: Conn, moment: Moment, verb: PauseTenants) -> list[UUID]:
    sql, ids = statements.load_verb("pause_tenants"), batch(checks.uuids(verb.tenants))
    reason, by = checks.reason(verb.reason), actors.name(moment.actor)
    done = db.rows(sql["pause"], (moment.now, by, reason, moment.now, ids, reason))
    _audit(db, moment, "pauseTenant", done, {} if reason is None else {"reason": reason})
    return [UUID(row[0]) for row in db.rows(sql["there"], (ids,))]


def _audit(db: Conn, moment: Moment, action: str, done: Sequence[tuple[str, int]], facts: Json = None) -> None:
    """What is done to one tenant is in its own log, what is done to several in the system's."""
    if done:
        number = done[0][1] if len(done) == 1 else None
        audit(db, moment, action, number, [tenant_id for tenant_id, _ in done], facts=facts)


def resume_tenants(db: Conn, moment: Moment, verb: ResumeTenants) -> list[UUID]:
    sql, ids = statements.load_verb("resume_tenants"), batch(checks.uuids(verb.tenants))
    _audit(db, moment, "resumeTenant", db.rows(sql["resume"], (moment.now, ids)))
    rows = db.rows(sql["there"], (ids,))
    for _, gate in rows:
        gates.release(db, gate, gates.room(db, gate, RESUMED, moment.now))
    return [UUID(tenant_id) for tenant_id, _ in rows]


def list_tenants(db: Conn, _: Moment, verb: ListTenants) -> Page[Tenant, str]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    rows = db.rows(statements.load_verb("list_tenants")["page"], (key_of(verb.after), most))
    return page_of(rows, most, _tenant, lambda row: cursor_of(row[1]))


def get_tenant(db: Conn, _: Moment, verb: GetTenant) -> Tenant:
    return _find(db, verb.tenant)


def _find(db: Conn, tenant: UUID | str) -> Tenant:
    by_id, by_slug = (str(tenant), None) if isinstance(tenant, UUID) else (None, checks.text("slug", tenant))
    rows = db.rows(statements.load_verb("list_tenants")["one"], (by_id, by_slug))
    if not rows:
        raise TenantNotFound("There is no such tenant.")
    return _tenant(rows[0])


def get_slugs(db: Conn, _: Moment, verb: GetSlugs) -> dict[UUID, str]:
    rows = db.rows(statements.load_verb("tenant_slugs")["slugs"], (batch(checks.uuids(verb.ids)),))
    return {UUID(tenant_id): slug for tenant_id, slug in rows}


def find_tenant(db: Conn, _: Moment, verb: FindTenant) -> UUID:
    rows = db.rows(statements.load_verb("tenant_id_of")["find"], (checks.text("slug", verb.slug),))
    if not rows:
        raise TenantNotFound("There is no such tenant.")
    try:
        return UUID(rows[0][0])
    except FAULTS:
        raise TenantNotFound(f'The id of tenant "{verb.slug}" cannot be decoded. Repair it in the database.') from None
