"""Who the caller is, and what is wrong with what it sees."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response

from jobplane.server import shapes
from jobplane.server.entry import Known, Owned
from jobplane.server.rendering import answer, caller_fields, problem_fields

router: Final = APIRouter()


@router.get("/me", operation_id="getMe", tags=["me"], response_model=shapes.MeOut)
async def get_me(caller: Known) -> Response:
    """Get the caller: its key, its role, its tenant, and what it may do."""
    return answer(caller_fields(caller))


@router.get("/problems", operation_id="listProblems", tags=["problems"], response_model=shapes.ProblemsOut)
async def list_problems(owned: Owned) -> Response:
    """List what is failing, stuck or late right now."""
    return answer({"items": [problem_fields(each) for each in await owned.problems.list()]})
