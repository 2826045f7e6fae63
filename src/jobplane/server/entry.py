"""What a route asks for: the caller, its planes, and the parameters that many routes share."""

from __future__ import annotations

from typing import Annotated, cast
from uuid import UUID

from fastapi import Depends, Header, Path, Query, Request

from jobplane.control.access import Caller
from jobplane.control.all_jobs import AllJobs
from jobplane.control.changes import Changes
from jobplane.control.entrance import Owner
from jobplane.control.jobs import Jobs
from jobplane.control.plane import OperatorPlane, TenantPlane
from jobplane.core.errors import Unauthenticated
from jobplane.server import cookies
from jobplane.server.state import State

JobId = Annotated[UUID, Path(description="The id of a job.")]
Limit = Annotated[int, Query(ge=1, le=200, description="The most items of this page.")]
Cursor = Annotated[str | None, Query(max_length=300, description="`next_cursor` of the previous page.")]
TenantName = Annotated[
    str | None,
    Header(alias="X-Jobplane-Tenant", max_length=100, description="The tenant that a super admin means: id or slug."),
]


def state_of(request: Request) -> State:
    return cast("State", request.app.state.jobplane)


async def authenticate(request: Request) -> Caller:
    """Who calls, as `identify` says. It counts as a request; raises RateLimited."""
    caller = await identify(request)
    state_of(request).rates.spend(caller, request.scope)
    return caller


async def identify(request: Request) -> Caller:
    """Who calls: by `Authorization: Bearer KEY`, else by the cookie of a session; raises Unauthenticated.

    Raises Forbidden where a browser sent the cookie because another site made it do so.
    """
    state = state_of(request)
    if state.caller is not None:
        return state.caller
    who, token = origin_of(request), cookies.presented(request)
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return await state.authentication.caller(key.strip(), *who)
    if token is not None:
        cookies.require_own_site(request)
        return await state.authentication.session(token, *who)
    raise Unauthenticated(
        'Send an API key in the header "Authorization", after the word Bearer. A browser signs in at /sign-in.'
    )


def origin_of(request: Request) -> tuple[str | None, str]:
    """The address of the client, and the id of the request, for the audit log."""
    return request.client.host if request.client else None, request.scope["request_id"]


async def _with_policy(request: Request, caller: Annotated[Caller, Depends(authenticate)]) -> Caller:
    return state_of(request).under_policy(caller)


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


async def _changes(request: Request, caller: Known, tenant: TenantName = None) -> Changes:
    return await state_of(request).entrance.changes(caller, tenant)


Operator = Annotated[OperatorPlane, Depends(_operator)]
Tenant = Annotated[TenantPlane, Depends(_tenant)]  # to write: a super admin has to name it
OfJob = Annotated[TenantPlane, Depends(_job_plane)]  # to read one job
Listed = Annotated[Jobs | AllJobs, Depends(_listed)]  # to read many, of all tenants for a super admin
Owned = Annotated[Owner, Depends(_owner)]  # what a tenant has, or the platform
Told = Annotated[Changes, Depends(_changes)]  # what a stream tells of
