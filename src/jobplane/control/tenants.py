"""Tenants: the owners of jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from jobplane.control.access import Access
from jobplane.control.paging import walk
from jobplane.control.recent import Recent
from jobplane.core.defaults import Defaults, Limit
from jobplane.core.errors import Invalid, InvalidTimetable, TenantNotFound
from jobplane.core.model import Document, Tenant, TenantDepth
from jobplane.core.paging import Page
from jobplane.core.timetable import zone
from jobplane.store.verbs.operator import (
    CountTenants,
    CreateTenant,
    GetTenant,
    ListTenants,
    PauseTenants,
    ResumeTenants,
    SetTenant,
)


class Tenants:
    """The tenants of an installation."""

    def __init__(self, access: Access, recent: Recent, defaults: Defaults) -> None:
        self._access = access
        self._defaults = defaults
        self._recent = recent

    async def create(
        self,
        slug: str,
        *,
        name: str = "",
        timezone: str = "UTC",
        weight: int = 1,
        max_in_flight: Limit = "default",
        max_pending: Limit = "default",
    ) -> Tenant:
        """Make a tenant; raises AlreadyExists. A limit is a number, None for no limit, or that of the settings."""
        _require_zone(timezone)
        running = self._defaults.max_in_flight if max_in_flight == "default" else max_in_flight
        pending = self._defaults.max_pending if max_pending == "default" else max_pending
        verb = CreateTenant(slug, name, weight, running, pending, timezone=timezone)
        return await self._access.run("createTenant", verb)

    async def get(self, tenant: UUID | str) -> Tenant:
        """One tenant, by id or slug; raises TenantNotFound."""
        return await self._access.run("getTenant", GetTenant(tenant))

    async def find(self, named: str) -> Tenant:
        """One tenant, by the text of its id or by its slug; raises TenantNotFound."""
        try:
            return await self.get(UUID(named))
        except ValueError:
            return await self.get(named)

    async def list(self, *, limit: int = 100, after: str = "") -> Page[Tenant, str]:
        """A page of tenants in the order of their slugs."""
        return await self._access.run("listTenants", ListTenants(limit, after))

    async def depth(self, tenant: UUID) -> TenantDepth:
        """What waits, runs and has died of one tenant."""
        found = await self._access.run("getTenant", CountTenants((tenant,)))
        return found[0] if found else TenantDepth(tenant)

    async def depths(self, tenants: Sequence[Tenant]) -> dict[UUID, TenantDepth]:
        """The same of many, at most five seconds old."""
        ids = tuple(tenant.tenant_id for tenant in tenants if "tenant_id" not in tenant.undecodable)
        found = await self._recent.get(self._access, "listTenants", CountTenants(ids))
        known = {each.tenant_id: each for each in found}
        return {each.tenant_id: known.get(each.tenant_id, TenantDepth(each.tenant_id)) for each in tenants}

    def walk(self) -> AsyncIterator[Tenant]:
        """All of them, a page at a time."""
        return walk(lambda cursor: self.list(after=cursor or ""))

    async def change(self, tenant: UUID, changes: Document) -> Tenant:
        """Change slug, name, timezone, weight or limits; None takes a limit away. Raises AlreadyExists."""
        if changes.get("timezone") is not None:
            _require_zone(changes["timezone"])
        return await self._access.run("changeTenant", SetTenant(tenant, changes))

    async def pause(self, tenant: UUID, *, reason: str | None = None) -> None:
        """Start none of its jobs from now on; raises TenantNotFound."""
        _require(tenant, await self._access.run("pauseTenant", PauseTenants([tenant], reason)))

    async def resume(self, tenant: UUID) -> None:
        """Start its jobs again; raises TenantNotFound."""
        _require(tenant, await self._access.run("resumeTenant", ResumeTenants([tenant])))


def _require(tenant: UUID, found: Sequence[UUID]) -> None:
    if not found:
        raise TenantNotFound(f"There is no tenant {tenant}.", tenant_id=tenant)


def _require_zone(name: object) -> None:
    try:
        zone(str(name))
    except InvalidTimetable as error:
        raise Invalid(error.message, **error.facts) from None
