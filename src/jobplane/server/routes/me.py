"""Who the caller is, and what is wrong with what it sees."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Request, Response

from jobplane import __version__
from jobplane.control.access import Caller
from jobplane.server import shapes
from jobplane.server.entry import Known, Owned, state_of
from jobplane.server.rendering import Fields, answer, caller_fields, problem_fields
from jobplane.server.state import State
from jobplane.server.unchanged import UNCHANGED, Seen, answer_unless

router: Final = APIRouter()


@router.get("/me", operation_id="getMe", tags=["me"], response_model=shapes.MeOut)
async def get_me(request: Request, caller: Known) -> Response:
    """Get the caller: its key, its role, its tenant, what it may do, and which server answers."""
    return answer(await me_fields(state_of(request), caller))


async def me_fields(state: State, caller: Caller) -> Fields:
    """The caller as `/me` shows it."""
    tenant = await state.entrance.own_tenant(caller)
    store = "sqlite" if state.config.database_url.startswith("sqlite:") else "postgresql"
    return caller_fields(caller, tenant) | {"version": __version__, "now": datetime.now(UTC), "store": store}


@router.get(
    "/problems", operation_id="listProblems", tags=["problems"], response_model=shapes.ProblemsOut, responses=UNCHANGED
)
async def list_problems(owned: Owned, seen: Seen = None) -> Response:
    """List what is failing, stuck or late right now."""
    return answer_unless(seen, {"items": [problem_fields(each) for each in await owned.problems.list()]})
