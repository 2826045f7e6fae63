"""The database of the installation."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Response

from jobplane.server import shapes
from jobplane.server.entry import Operator
from jobplane.server.rendering import answer, database_fields

router: Final = APIRouter(tags=["database"])


@router.get("/database", operation_id="getDatabase", response_model=shapes.DatabaseOut)
async def get_database(plane: Operator) -> Response:
    """Get the size of the database, its connections and its tables, at most five seconds old."""
    return answer(database_fields(await plane.database.get()))
