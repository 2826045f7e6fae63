"""Keys that differ in Python and are the same text in JSON, such as 1 and "1": one of two values would be lost."""

from __future__ import annotations

import json
from typing import Final

import orjson

from jobplane.core.model import Json


class SameKey(Exception):
    """Two keys of an object are the same text; `message` names it."""

    def __init__(self, key: str) -> None:
        self.message = f"two keys of an object are both {json.dumps(key[:100], ensure_ascii=False)} in JSON"
        super().__init__(self.message)


def has_plain_keys(value: object) -> bool:
    """Whether every key in a value is a text. It may answer False for a value that it does not know."""
    try:
        orjson.dumps(value)
    except (TypeError, RecursionError):
        return False
    return True


def refuse_same_keys(text: str) -> None:
    """Raise SameKey where an object of a JSON text has a key twice."""
    _DECODER.decode(text)


def _make_object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    seen = set[str]()
    for key, _ in pairs:
        if key in seen:
            raise SameKey(key)
        seen.add(key)
    return made


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_make_object)
