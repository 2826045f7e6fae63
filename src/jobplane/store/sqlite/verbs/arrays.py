"""A batch goes to a statement as one JSON array, which it reads with json_each."""

from __future__ import annotations

import json
from collections.abc import Iterable

import orjson

from jobplane.core.errors import Invalid
from jobplane.core.model import Json


def batch(values: Iterable[object]) -> str:
    """Values, or rows as lists, as the text of one JSON array."""
    try:
        return orjson.dumps(list(values)).decode()
    except orjson.JSONEncodeError as error:
        raise Invalid(f"A value cannot be stored: {error}") from None


def dumps(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
