"""Answers that a caller has already: 304 without a body.

The page asks again and again. What saves is the way back and the decoding: the answer is made as ever.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import blake2b
from typing import Annotated, Any, Final

from fastapi import Header, Response

from jobplane.server.rendering import JSON, encode

Seen = Annotated[
    str | None,
    Header(alias="If-None-Match", max_length=1000, description="`ETag` of an earlier answer: 304 if it is the same."),
]
UNCHANGED: Final[dict[int | str, dict[str, Any]]] = {
    200: {"headers": {"ETag": {"description": "Names this answer.", "schema": {"type": "string"}}}},
    304: {"description": "The answer is the one that `If-None-Match` names."},
}
NO_MORE: Final[Mapping[str, str]] = {}
_TAG: Final = re.compile(r'"[^"]*"|\*')


def answer_unless(seen: str | None, value: object, more: Mapping[str, str] = NO_MORE) -> Response:
    """A response with this value as JSON and a weak ETag, or 304 where the caller has seen it; `more` are headers."""
    body = encode(value)
    tag = f'"{blake2b(body, digest_size=12).hexdigest()}"'
    headers = {"ETag": f"W/{tag}", **more}
    if seen is not None and not {tag, "*"}.isdisjoint(_TAG.findall(seen)):
        return Response(None, 304, headers)
    return Response(body, 200, headers, JSON)
