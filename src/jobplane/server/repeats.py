"""`Idempotency-Key`: the same request again gets the same answer, and makes nothing twice."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Header, Response

from jobplane.control.plane import TenantPlane
from jobplane.core.errors import Invalid
from jobplane.server.rendering import JSON
from jobplane.server.shapes import Body

Ids = Sequence[UUID] | None
_Key = Annotated[
    str | None,
    Header(alias="Idempotency-Key", min_length=1, max_length=255, description="Any text that names this request."),
]


class Repeats:
    """The key of one request, if it has one."""

    def __init__(self, key: _Key = None) -> None:
        self._key = key

    async def once(
        self,
        plane: TenantPlane,
        operation: str,
        body: Body,
        act: Callable[[Ids], Awaitable[Response]],
        *,
        count: int = 1,
        about: str = "",
    ) -> Response:
        """The answer of the act, or the one that it had before. `act` is given the ids that its jobs are to have.

        The same key for another body, or another thing that the request is `about`, is refused.

        The ids are stored first: a request that is repeated after a crash makes the same jobs, not others.
        """
        if self._key is None:
            return await act(None)
        fingerprint = sha256(f"{about} {body.model_dump_json(exclude_unset=True)}".encode()).digest()
        reserved = await plane.replies.reserve(operation, self._key, fingerprint, count=count)
        if reserved.status is not None and reserved.body is not None:
            return Response(reserved.body, reserved.status, {"Idempotency-Replayed": "true"}, JSON)
        answered = await act(reserved.job_ids)
        await plane.replies.save(operation, self._key, answered.status_code, bytes(answered.body).decode())
        return answered


Repeat = Annotated[Repeats, Depends()]


def refuse_key(key: str | None) -> None:
    """Raise Invalid: an answer that holds a secret is not stored, and so it cannot be repeated."""
    if key is not None:
        message = "This answer shows a secret once and is not stored. Leave Idempotency-Key out."
        raise Invalid(message, pointer="header Idempotency-Key")
