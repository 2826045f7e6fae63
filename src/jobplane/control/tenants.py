"""Tenants: the owners of jobs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from uuid import UUID

from jobplane.control.paging import walk
from jobplane.core.errors import TenantNotFound
from jobplane.core.model import Document, Tenant
from jobplane.core.paging import Page
from jobplane.store.base import Store
from jobplane.store.verbs.operator import (
    CreateTenant,
    GetTenant,
    ListTenants,
    PauseTenants,
    ResumeTenants,
    SetTenant,
)


class Tenants:
    """The tenants of an installation."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def create(
        self,
        slug: str,
        *,
        name: str = "",
        weight: int = 1,
        max_in_flight: int | None = None,
        max_pending: int | None = None,
    ) -> Tenant:
        """Make a tenant; raises AlreadyExists."""
        return await self._store.run(CreateTenant(slug, name, weight, max_in_flight, max_pending))

    async def get(self, tenant: UUID | str) -> Tenant:
        """One tenant, by id or slug; raises TenantNotFound."""
        return await self._store.run(GetTenant(tenant))

    async def list(self, *, limit: int = 100, after: str = "") -> Page[Tenant, str]:
        """A page of tenants in the order of their slugs."""
        return await self._store.run(ListTenants(limit, after))

    def walk(self) -> AsyncIterator[Tenant]:
        """All of them, a page at a time."""
        return walk(lambda cursor: self.list(after=cursor or ""))

    async def change(self, tenant: UUID, changes: Document) -> Tenant:
        """Change name, weight or limits; None takes a limit away."""
        return await self._store.run(SetTenant(tenant, changes))

    async def pause(self, tenant: UUID) -> None:
        """Start none of its jobs from now on; raises TenantNotFound."""
        _require(tenant, await self._store.run(PauseTenants([tenant])))

    async def resume(self, tenant: UUID) -> None:
        """Start its jobs again; raises TenantNotFound."""
        _require(tenant, await self._store.run(ResumeTenants([tenant])))


def _require(tenant: UUID, found: Sequence[UUID]) -> None:
    if not found:
        raise TenantNotFound(f"There is no tenant {tenant}.", tenant_id=tenant)
