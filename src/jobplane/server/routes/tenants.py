"""Tenants: the owners of jobs."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Response

from jobplane.control.plane import OperatorPlane
from jobplane.core.model import Tenant
from jobplane.server import shapes
from jobplane.server.entry import Cursor, Limit, Operator
from jobplane.server.pages import Listing
from jobplane.server.rendering import Fields, answer, tenant_fields
from jobplane.server.shapes import ReasonBody, TenantBody, TenantChanges
from jobplane.server.unchanged import UNCHANGED, Seen

router: Final = APIRouter(prefix="/tenants", tags=["tenants"])
Name = Annotated[str, Path(max_length=100, description="The id or the slug of a tenant.")]
NO_REASON: Final = ReasonBody()


async def _shown(plane: OperatorPlane, tenant: Tenant) -> Fields:
    return tenant_fields(tenant, await plane.tenants.depth(tenant.tenant_id))


@router.post("", operation_id="createTenant", status_code=201, response_model=shapes.TenantOut)
async def create_tenant(body: TenantBody, plane: Operator) -> Response:
    """Make a tenant."""
    return answer(await _shown(plane, await plane.tenants.create(**body.model_dump(exclude_unset=True))), 201)


@router.get("", operation_id="listTenants", response_model=shapes.TenantPage, responses=UNCHANGED)
async def list_tenants(
    plane: Operator, pages: Listing, limit: Limit = 100, cursor: Cursor = None, seen: Seen = None
) -> Response:
    """List tenants in the order of their slugs. What waits and runs of each is at most five seconds old."""
    page = await plane.tenants.list(limit=limit, after=cursor or "")
    depths = await plane.tenants.depths(page.items)
    return pages.answer_unless(
        seen, page, lambda tenant: tenant_fields(tenant, depths[tenant.tenant_id]), page.next_cursor
    )


@router.get("/{tenant}", operation_id="getTenant", response_model=shapes.TenantOut)
async def get_tenant(tenant: Name, plane: Operator) -> Response:
    """Get a tenant."""
    return answer(await _shown(plane, await plane.tenants.find(tenant)))


@router.patch("/{tenant}", operation_id="changeTenant", response_model=shapes.TenantOut)
async def change_tenant(tenant: Name, body: TenantChanges, plane: Operator) -> Response:
    """Change name, slug, timezone, weight or limits. null takes a limit away."""
    found = await plane.tenants.find(tenant)
    return answer(await _shown(plane, await plane.tenants.change(found.tenant_id, body.model_dump(exclude_unset=True))))


@router.post("/{tenant}/pause", operation_id="pauseTenant", response_model=shapes.TenantOut)
async def pause_tenant(tenant: Name, plane: Operator, body: ReasonBody = NO_REASON) -> Response:
    """Start none of its jobs from now on. What runs goes on."""
    found = await plane.tenants.find(tenant)
    await plane.tenants.pause(found.tenant_id, reason=body.reason)
    return answer(await _shown(plane, await plane.tenants.get(found.tenant_id)))


@router.post("/{tenant}/resume", operation_id="resumeTenant", response_model=shapes.TenantOut)
async def resume_tenant(tenant: Name, plane: Operator) -> Response:
    """Start its jobs again."""
    found = await plane.tenants.find(tenant)
    await plane.tenants.resume(found.tenant_id)
    return answer(await _shown(plane, await plane.tenants.get(found.tenant_id)))
