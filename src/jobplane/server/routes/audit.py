"""The audit log: what people and keys did."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query, Response

from jobplane.core.audit import AuditFilter
from jobplane.server import shapes
from jobplane.server.cursors import number_of
from jobplane.server.entry import Cursor, Limit, Owned
from jobplane.server.pages import Listing
from jobplane.server.rendering import audit_fields
from jobplane.server.shapes import Time

router: Final = APIRouter(prefix="/audit", tags=["audit"])


@router.get("", operation_id="listAudit", response_model=shapes.AuditPage)
async def list_audit(
    owned: Owned,
    pages: Listing,
    action: Annotated[str | None, Query(max_length=100, description="The operation, `cancelJob` for example.")] = None,
    actor: Annotated[str | None, Query(max_length=200, description="The id of a key or a login.")] = None,
    target: Annotated[str | None, Query(max_length=200, description="The id of what it was done to.")] = None,
    since: Time | None = None,
    until: Time | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """List what was done, the newest first: of the tenant, or of all for a super admin who names none."""
    where = AuditFilter(action=action, actor=actor, target=target, since=since, until=until)
    page = await owned.audit.list(where, limit=limit, before=number_of(cursor))
    return pages.answer(page, audit_fields, None if page.next_cursor is None else str(page.next_cursor))
