"""From a caller to a plane: whose things a request is about."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from jobplane.control.access import Access, Caller, Role
from jobplane.control.all_jobs import AllJobs
from jobplane.control.audit import Audit
from jobplane.control.catalog import Catalog
from jobplane.control.changes import Changes
from jobplane.control.jobs import Jobs
from jobplane.control.keys import Keys
from jobplane.control.plane import OperatorPlane, TenantPlane
from jobplane.control.problems import Problems, TenantProblems
from jobplane.control.recent import Recent
from jobplane.control.triggers import AllTriggers, Triggers
from jobplane.core.defaults import STANDARD, Defaults
from jobplane.core.errors import Forbidden, JobNotFound, TenantNotFound, TenantRequired
from jobplane.core.model import DEFAULT_TENANT, Tenant
from jobplane.store.base import Store
from jobplane.store.verbs.jobs import FindTenant
from jobplane.store.verbs.operator import FindJobs, GetTenant

_SECONDS: Final = 5.0
_MOST: Final = 10_000


@dataclass(frozen=True, slots=True)
class Owner:
    """What a tenant has, or the platform where `tenant` is None."""

    tenant: UUID | None
    keys: Keys
    audit: Audit
    problems: Problems | TenantProblems


class Entrance:
    """The planes of callers. A super admin names a tenant by its id or slug; everybody else has their own."""

    def __init__(self, store: Store, catalog: Catalog, defaults: Defaults = STANDARD) -> None:
        self._store = store
        self._defaults = defaults
        self._catalog = catalog
        self._recent = Recent()
        self._tenants: dict[str, tuple[float, UUID]] = {}

    def operator(self, caller: Caller) -> OperatorPlane:
        """The installation as this caller may see it."""
        return OperatorPlane(self._store, caller, self._recent, self._defaults)

    async def tenant(self, caller: Caller, named: str | None) -> TenantPlane:
        """The caller's tenant, or the one that a super admin names; raises TenantRequired."""
        tenant = await self.tenant_of(caller, named)
        if tenant is None:
            raise TenantRequired(
                "This operation needs a tenant. Name the tenant by slug or id in the header X-Jobplane-Tenant."
            )
        return TenantPlane(self._store, tenant, caller, self._catalog)

    async def of_job(self, caller: Caller, named: str | None, job_id: UUID) -> TenantPlane:
        """The plane to read a job from: a super admin who names no tenant finds any job."""
        tenant = await self.tenant_of(caller, named)
        if tenant is None:
            for found in await self._store.run(FindJobs([job_id])):
                return TenantPlane(self._store, found.tenant_id, caller, self._catalog)
            raise JobNotFound(f"There is no job {job_id}.", job_id=job_id)
        return TenantPlane(self._store, tenant, caller, self._catalog)

    async def jobs(self, caller: Caller, named: str | None) -> Jobs | AllJobs:
        """The jobs to list: those of a tenant, or of all for a super admin who names none."""
        tenant = await self.tenant_of(caller, named)
        if tenant is None:
            return OperatorPlane(self._store, caller, self._recent).jobs
        return TenantPlane(self._store, tenant, caller, self._catalog).jobs

    async def triggers(self, caller: Caller, named: str | None) -> Triggers | AllTriggers:
        """The triggers to list: those of a tenant, or of all for a super admin who names none."""
        tenant = await self.tenant_of(caller, named)
        if tenant is None:
            return OperatorPlane(self._store, caller, self._recent).triggers
        return TenantPlane(self._store, tenant, caller, self._catalog).triggers

    async def of_trigger(self, caller: Caller, named: str | None, trigger: str) -> tuple[Triggers, UUID | str]:
        """Where to read a trigger, and its id or key. A super admin who names no tenant finds that of any."""
        tenant = await self.tenant_of(caller, named)
        if tenant is None:
            found = await OperatorPlane(self._store, caller, self._recent).triggers.find(trigger)
            return TenantPlane(self._store, found.tenant_id, caller, self._catalog).triggers, found.id
        return TenantPlane(self._store, tenant, caller, self._catalog).triggers, trigger

    async def owner(self, caller: Caller, named: str | None) -> Owner:
        """What belongs to the caller's tenant, or to the platform."""
        tenant = await self.tenant_of(caller, named)
        operator = OperatorPlane(self._store, caller, self._recent)
        if tenant is None:
            return Owner(None, operator.keys, operator.audit, operator.problems)
        plane = TenantPlane(self._store, tenant, caller, self._catalog)
        return Owner(tenant, operator.keys, plane.audit, plane.problems)

    async def changes(self, caller: Caller, named: str | None) -> Changes:
        """What the caller can be told of: the changes of a tenant, or of all for a super admin who names none."""
        return Changes(Access(self._store, caller), await self.tenant_of(caller, named))

    async def own_tenant(self, caller: Caller) -> Tenant | None:
        """The tenant that a caller belongs to; none where it belongs to the platform."""
        return None if caller.tenant is None else await self._store.run(GetTenant(caller.tenant))

    async def tenant_of(self, caller: Caller, named: str | None) -> UUID | None:
        """None: a super admin who means all tenants."""
        if caller.role is not Role.SUPER_ADMIN:
            if caller.tenant is None:
                raise Forbidden(f"A key with the role {caller.role} belongs to no tenant.", role=str(caller.role))
            if named is not None and not await self._names(named, caller.tenant):
                raise TenantNotFound("There is no such tenant, or it is not yours.")
            return caller.tenant
        return None if named is None else await self._find(named)

    async def _names(self, named: str, tenant: UUID) -> bool:
        try:
            return await self._find(named) == tenant
        except TenantNotFound:
            return False

    async def _find(self, named: str) -> UUID:
        if named == "default":
            return DEFAULT_TENANT
        until, found = self._tenants.get(named, (0.0, DEFAULT_TENANT))
        if time.monotonic() < until:
            return found
        found = await self._look(named)
        if len(self._tenants) >= _MOST:
            self._tenants.clear()
        self._tenants[named] = (time.monotonic() + _SECONDS, found)
        return found

    async def _look(self, named: str) -> UUID:
        try:
            return (await self._store.run(GetTenant(UUID(named)))).tenant_id
        except ValueError:
            return await self._store.run(FindTenant(named))
