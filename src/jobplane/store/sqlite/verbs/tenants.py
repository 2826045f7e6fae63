"""Tenants: the owners of jobs, with their weights and limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import FAULTS, Reader, loads
from jobplane.core.errors import AlreadyExists, Invalid, TenantNotFound
from jobplane.core.model import Tenant
from jobplane.core.paging import Page, page_of
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.cursors import cursor_of, key_of
from jobplane.store.sqlite.moment import Moment, instant, new_id
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.verbs.jobs import FindTenant
from jobplane.store.verbs.operator import CreateTenant, GetTenant, ListTenants, PauseTenants, ResumeTenants, SetTenant

_SLUG: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_CHANGES: Final = ("name", "weight", "max_in_flight", "max_pending")
RESUMED: Final = 1000
_tenant: Final = Reader(Tenant, tenant_id=UUID, paused_at=instant, created_at=instant, updated_at=instant)


def create_tenant(db: Conn, moment: Moment, verb: CreateTenant) -> Tenant:
    slug = checks.text("slug", verb.slug)
    if not _SLUG.fullmatch(slug):
        raise Invalid("a tenant needs a slug of a-z, 0-9 and -, up to 63 characters")
    chosen = checks.uuid(new_id() if verb.tenant_id is None else verb.tenant_id)
    numbers = _numbers(verb.weight, verb.max_in_flight, verb.max_pending)
    values = (checks.text("name", verb.name), *numbers, moment.now, moment.now)
    if db.rows(statements.load_verb("create_tenant")["taken"], (slug, chosen)):
        raise AlreadyExists("there is a tenant with this slug or id already")
    db.rows(statements.load_verb("create_tenant")["insert"], (chosen, slug, *values))
    return _find(db, slug)


def _numbers(weight: object, max_in_flight: object, max_pending: object) -> tuple[int, int | None, int | None]:
    return (
        bounds.whole("weight", weight, 1, 1000),
        checks.whole_or_none("max_in_flight", max_in_flight, 0),
        checks.whole_or_none("max_pending", max_pending, 0),
    )


def set_tenant(db: Conn, moment: Moment, verb: SetTenant) -> Tenant:
    named: dict[str, Any] = loads(encode_document(verb.changes, "changes"))
    refuse_unknown(named, _CHANGES)
    tenant = checks.uuid(verb.tenant)
    old = _find(db, verb.tenant)
    name = None if named.get("name") is None else checks.text("name", named["name"])
    weight = named.get("weight") if named.get("weight") is not None else old.weight
    limits = (named.get("max_in_flight", old.max_in_flight), named.get("max_pending", old.max_pending))
    values = (name, *_numbers(weight, *limits))
    db.rows(statements.load_verb("set_tenant")["update"], (*values, moment.now, tenant))
    if named.get("max_in_flight") is not None:
        rows = db.rows(statements.load_verb("set_tenant")["leases"], (tenant,))
        gates.count_leases(db, [(seq, keys, [key]) for seq, keys, key in rows])
    return _find(db, verb.tenant)


def refuse_unknown(document: object, known: Sequence[str]) -> None:
    """A document of changes names only what can be changed."""
    if not isinstance(document, dict):
        raise Invalid("the changes must be a JSON object")
    if unknown := sorted(set(cast("dict[str, object]", document)) - set(known)):
        raise Invalid(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")


def pause_tenants(db: Conn, moment: Moment, verb: PauseTenants) -> list[UUID]:
    ids = batch(checks.uuids(verb.tenants))
    return [
        UUID(row[0]) for row in db.rows(statements.load_verb("pause_tenants")["pause"], (moment.now, moment.now, ids))
    ]


def resume_tenants(db: Conn, moment: Moment, verb: ResumeTenants) -> list[UUID]:
    rows = db.rows(statements.load_verb("resume_tenants")["resume"], (moment.now, batch(checks.uuids(verb.tenants))))
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
        raise TenantNotFound("there is no such tenant")
    return _tenant(rows[0])


def find_tenant(db: Conn, _: Moment, verb: FindTenant) -> UUID:
    rows = db.rows(statements.load_verb("tenant_id_of")["find"], (checks.text("slug", verb.slug),))
    if not rows:
        raise TenantNotFound("there is no such tenant")
    try:
        return UUID(rows[0][0])
    except FAULTS:
        raise TenantNotFound(f"The id of tenant {verb.slug!r} cannot be decoded. Repair it in the database.") from None
