"""What a first page shows."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response

from jobplane.server import shapes
from jobplane.server.entry import Listed
from jobplane.server.rendering import overview_fields
from jobplane.server.unchanged import UNCHANGED, Seen, answer_unless

router: Final = APIRouter(tags=["overview"])


@router.get("/overview", operation_id="getOverview", response_model=shapes.OverviewOut, responses=UNCHANGED)
async def get_overview(jobs: Listed, seen: Seen = None) -> Response:
    """Get the counts, and what jobs do now. A super admin who names no tenant sees all, at most five seconds old."""
    return answer_unless(seen, overview_fields(await jobs.overview()))
