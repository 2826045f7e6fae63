"""Tenants: the owners of jobs, with their weights and limits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, cast
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import FAULTS, Reader, loads
from jobplane.core.errors import AlreadyExists, Invalid, TenantNotFound
from jobplane.core.model import Document, Tenant
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.moment import Moment, instant, new_id
from jobplane.store.sqlite.statements import verb
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.batch import batch

_SLUG: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_CHANGES: Final = ("name", "weight", "max_in_flight", "max_pending")
RESUMED: Final = 1000
_tenant: Final = Reader(Tenant, tenant_id=UUID, paused_at=instant, created_at=instant, updated_at=instant)


def create_tenant(
    db: Conn,
    moment: Moment,
    slug: str,
    name: str,
    weight: int,
    max_in_flight: int | None,
    max_pending: int | None,
    tenant_id: UUID | None,
) -> Tenant:
    if not _SLUG.fullmatch(checks.text("slug", slug)):
        raise Invalid("a tenant needs a slug of a-z, 0-9 and -, up to 63 characters")
    chosen = checks.uuid(new_id() if tenant_id is None else tenant_id)
    values = (checks.text("name", name), *_numbers(weight, max_in_flight, max_pending), moment.now, moment.now)
    if db.rows(verb("create_tenant")["taken"], (slug, chosen)):
        raise AlreadyExists("there is a tenant with this slug or id already")
    db.rows(verb("create_tenant")["insert"], (chosen, slug, *values))
    return get_tenant(db, slug)


def _numbers(weight: object, max_in_flight: object, max_pending: object) -> tuple[int, int | None, int | None]:
    return (
        bounds.whole("weight", weight, 1, 1000),
        checks.whole_or_none("max_in_flight", max_in_flight, 0),
        checks.whole_or_none("max_pending", max_pending, 0),
    )


def set_tenant(db: Conn, moment: Moment, tenant: UUID, changes: Document) -> Tenant:
    named: dict[str, Any] = loads(encode_document(changes, "changes"))
    refuse_unknown(named, _CHANGES)
    old = get_tenant(db, UUID(checks.uuid(tenant)))
    name = None if named.get("name") is None else checks.text("name", named["name"])
    weight = named.get("weight") if named.get("weight") is not None else old.weight
    limits = (named.get("max_in_flight", old.max_in_flight), named.get("max_pending", old.max_pending))
    values = (name, *_numbers(weight, *limits))
    db.rows(verb("set_tenant")["update"], (*values, moment.now, str(tenant)))
    if named.get("max_in_flight") is not None:
        rows = db.rows(verb("set_tenant")["leases"], (str(tenant),))
        gates.count_leases(db, [(seq, keys, [key]) for seq, keys, key in rows])
    return get_tenant(db, tenant)


def refuse_unknown(document: object, known: Sequence[str]) -> None:
    """A document of changes names only what can be changed."""
    if not isinstance(document, dict):
        raise Invalid("the changes must be a JSON object")
    if unknown := sorted(set(cast("dict[str, object]", document)) - set(known)):
        raise Invalid(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")


def pause_tenants(db: Conn, moment: Moment, tenants: Sequence[UUID]) -> list[UUID]:
    ids = batch(checks.uuids(tenants))
    return [UUID(row[0]) for row in db.rows(verb("pause_tenants")["pause"], (moment.now, moment.now, ids))]


def resume_tenants(db: Conn, moment: Moment, tenants: Sequence[UUID]) -> list[UUID]:
    rows = db.rows(verb("resume_tenants")["resume"], (moment.now, batch(checks.uuids(tenants))))
    for _, gate in rows:
        gates.release(db, gate, gates.room(db, gate, RESUMED, moment.now))
    return [UUID(tenant_id) for tenant_id, _ in rows]


def tenants(db: Conn, limit: int, after: str) -> list[Tenant]:
    most = min(max(bounds.whole("limit", limit), 1), 1000)
    return [_tenant(row) for row in db.rows(verb("list_tenants")["page"], (checks.text("after", after), most))]


def get_tenant(db: Conn, tenant: UUID | str) -> Tenant:
    by_id, by_slug = (str(tenant), None) if isinstance(tenant, UUID) else (None, checks.text("slug", tenant))
    rows = db.rows(verb("list_tenants")["one"], (by_id, by_slug))
    if not rows:
        raise TenantNotFound("there is no such tenant")
    return _tenant(rows[0])


def tenant_id(db: Conn, slug: str) -> UUID:
    rows = db.rows(verb("tenant_id_of")["find"], (checks.text("slug", slug),))
    if not rows:
        raise TenantNotFound("there is no such tenant")
    try:
        return UUID(rows[0][0])
    except FAULTS:
        raise TenantNotFound(f"The id of tenant {slug!r} cannot be decoded. Repair it in the database.") from None
