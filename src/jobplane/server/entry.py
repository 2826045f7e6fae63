"""What a route asks for: the caller, its planes, and the parameters that many routes share."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, cast
from uuid import UUID

from fastapi import Depends, Header, Path, Query, Request

from jobplane.control.access import Caller
from jobplane.control.all_jobs import AllJobs
from jobplane.control.entrance import Owner
from jobplane.control.jobs import Jobs
from jobplane.control.plane import OperatorPlane, TenantPlane
from jobplane.core.errors import Unauthenticated
from jobplane.server.state import State

JobId = Annotated[UUID, Path(description="The id of a job.")]
Limit = Annotated[int, Query(ge=1, le=200, description="The most items of this page.")]
Cursor = Annotated[str | None, Query(max_length=300, description="`next_cursor` of the former page.")]
TenantName = Annotated[
    str | None,
    Header(alias="X-Jobplane-Tenant", max_length=100, description="The tenant that a super admin means: id or slug."),
]


def state_of(request: Request) -> State:
    return cast("State", request.app.state.jobplane)


async def authenticate(request: Request) -> Caller:
    """Who calls: by `Authorization: Bearer KEY`, unless the application has one caller. Raises Unauthenticated."""
    state = state_of(request)
    if state.caller is not None:
        return state.caller
    address = request.client.host if request.client else None
    caller = await state.authentication.caller(presented(request), address, request.scope["request_id"])
    state.rates.spend(caller, request.scope)
    return caller


def presented(request: Request) -> str:
    """The key of the request."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not key:
        raise Unauthenticated("Send an API key: Authorization: Bearer jp_….")
    return key.strip()


async def _with_policy(request: Request, caller: Annotated[Caller, Depends(authenticate)]) -> Caller:
    """The caller under the roles that this installation asks for."""
    return replace(caller, policy=state_of(request).policy)


Known = Annotated[Caller, Depends(_with_policy)]


async def _operator(request: Request, caller: Known) -> OperatorPlane:
    return state_of(request).entrance.operator(caller)


async def _tenant(request: Request, caller: Known, tenant: TenantName = None) -> TenantPlane:
    return await state_of(request).entrance.tenant(caller, tenant)


async def _job_plane(request: Request, caller: Known, job_id: JobId, tenant: TenantName = None) -> TenantPlane:
    return await state_of(request).entrance.of_job(caller, tenant, job_id)


async def _listed(request: Request, caller: Known, tenant: TenantName = None) -> Jobs | AllJobs:
    return await state_of(request).entrance.jobs(caller, tenant)


async def _owner(request: Request, caller: Known, tenant: TenantName = None) -> Owner:
    return await state_of(request).entrance.owner(caller, tenant)


Operator = Annotated[OperatorPlane, Depends(_operator)]
Tenant = Annotated[TenantPlane, Depends(_tenant)]  # to write: a super admin has to name it
OfJob = Annotated[TenantPlane, Depends(_job_plane)]  # to read one job
Listed = Annotated[Jobs | AllJobs, Depends(_listed)]  # to read many, of all tenants for a super admin
Owned = Annotated[Owner, Depends(_owner)]  # what a tenant has, or the platform
