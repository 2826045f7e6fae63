"""Whether the server is alive, and whether it can serve."""

from __future__ import annotations

from typing import Any, Final

from fastapi import APIRouter, Request, Response

from jobplane.core.errors import JobplaneError
from jobplane.core.model import DEFAULT_TENANT
from jobplane.server.entry import state_of
from jobplane.server.rendering import answer
from jobplane.store.verbs.jobs import FindTenant

router: Final = APIRouter(tags=["health"], include_in_schema=False)


@router.get("/healthz")
async def healthz() -> Response:
    """The process answers."""
    return answer({"status": "ok", "wrong": []})


@router.get("/readyz")
async def readyz(request: Request) -> Response:
    """The database answers, with a schema that fits."""
    wrong = await _complaints(request)
    return answer({"status": "failing" if wrong else "ok", "wrong": wrong}, 503 if wrong else 200)


async def _complaints(request: Request) -> list[Any]:
    state = state_of(request)
    if state.stopping.is_set():
        return ["the server is stopping"]
    try:
        assert await state.store.run(FindTenant("default")) == DEFAULT_TENANT  # noqa: S101 a fixed id
    except JobplaneError as error:
        return [f"{error.code}: {error.message}"]
    return []
