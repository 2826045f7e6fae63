"""Who the caller is, and what is wrong with what it sees."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response

from jobplane.server import shapes
from jobplane.server.entry import Known, Owned
from jobplane.server.rendering import answer, caller_fields, problem_fields
from jobplane.server.unchanged import UNCHANGED, Seen, answer_unless

router: Final = APIRouter()


@router.get("/me", operation_id="getMe", tags=["me"], response_model=shapes.MeOut)
async def get_me(caller: Known) -> Response:
    """Get the caller: its key, its role, its tenant, and what it may do."""
    return answer(caller_fields(caller))


@router.get(
    "/problems", operation_id="listProblems", tags=["problems"], response_model=shapes.ProblemsOut, responses=UNCHANGED
)
async def list_problems(owned: Owned, seen: Seen = None) -> Response:
    """List what is failing, stuck or late right now."""
    return answer_unless(seen, {"items": [problem_fields(each) for each in await owned.problems.list()]})
