"""API keys: who may call."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Header, Path, Response

from jobplane.server import shapes
from jobplane.server.entry import Cursor, Limit, Owned
from jobplane.server.pages import Listing
from jobplane.server.rendering import answer, key_fields
from jobplane.server.repeats import refuse_key
from jobplane.server.shapes import KeyBody, RotateBody

router: Final = APIRouter(prefix="/keys", tags=["keys"])
KeyId = Annotated[str, Path(max_length=40, description="The id of a key: the part between `jp_` and the secret.")]
AFTER_A_DAY: Final = RotateBody()


@router.post("", operation_id="createKey", status_code=201, response_model=shapes.NewKeyOut)
async def create_key(
    body: KeyBody, owned: Owned, idempotency_key: Annotated[str | None, Header(max_length=255)] = None
) -> Response:
    """Make a key. Its text is shown this once."""
    refuse_key(idempotency_key)
    made, text = await owned.keys.create(**body.model_dump(), tenant=owned.tenant)
    return answer({**key_fields(made), "key": text}, 201)


@router.get("", operation_id="listKeys", response_model=shapes.KeyPage)
async def list_keys(owned: Owned, pages: Listing, limit: Limit = 100, cursor: Cursor = None) -> Response:
    """List the keys of the tenant; without a tenant, those of the platform."""
    page = await owned.keys.list(tenant=owned.tenant, limit=limit, after=cursor or "")
    return pages.answer(page, key_fields, page.next_cursor)


@router.post("/{key_id}/revoke", operation_id="revokeKey", status_code=204)
async def revoke_key(key_id: KeyId, owned: Owned) -> Response:
    """Make a key useless, everywhere within five seconds."""
    await owned.keys.revoke(key_id)
    return Response(status_code=204)


@router.post("/{key_id}/rotate", operation_id="rotateKey", status_code=201, response_model=shapes.NewKeyOut)
async def rotate_key(
    key_id: KeyId,
    owned: Owned,
    body: RotateBody = AFTER_A_DAY,
    idempotency_key: Annotated[str | None, Header(max_length=255)] = None,
) -> Response:
    """Make a key that replaces another one. The old one works until the overlap is over."""
    refuse_key(idempotency_key)
    made, text = await owned.keys.rotate(key_id, overlap_seconds=body.overlap_seconds)
    return answer({**key_fields(made), "key": text}, 201)
