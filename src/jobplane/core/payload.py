"""JSON that both stores can keep: judged before it is written, with a pointer to what is wrong."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Final, cast

from jobplane.core.errors import InvalidPayload
from jobplane.core.model import Json

MAX_BYTES: Final = 64 * 1024
MAX_RESULT_BYTES: Final = 256 * 1024
MAX_TEXT: Final = 64 * 1024
MAX_DEPTH: Final = 64
MAX_NODES: Final = 10_000
_MAX_NUMBER: Final = 10**309
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_SMALL: Final = 309  # shorter than this, no number is too long and no count of values too high


def encode(payload: object) -> str:
    """The payload as JSON text, or InvalidPayload with a JSON pointer to the first fault."""
    if not isinstance(payload, Mapping):
        raise InvalidPayload("the payload must be a JSON object", pointer="")
    return _plain(cast("Mapping[object, object]", payload)) or _text(cast("object", payload), "payload", MAX_BYTES)


def encode_result(result: Json) -> str:
    """A result as JSON text. It never fails: what cannot be kept is replaced by a note that says so."""
    try:
        return _text(result, "result", MAX_RESULT_BYTES)
    except InvalidPayload as error:
        return json.dumps({"result_not_stored": error.message})


def storable(text: str | None) -> str | None:
    """A text that every store can keep: no NUL, no lone surrogate, bounded."""
    if text is None:
        return None
    kept = text[:MAX_TEXT].replace("\x00", "�")
    return kept.encode("utf-8", "replace").decode("utf-8")


def fault_of(text: str) -> str | None:
    """Why a text cannot be kept as it is, or None."""
    if "\x00" in text:
        return "a NUL character"
    if any("\ud800" <= c <= "\udfff" for c in text):
        return "a lone surrogate"
    return None


def _plain(payload: Mapping[object, object]) -> str | None:
    """The text of a small flat object at a tenth of the cost; None: the long way has to look."""
    try:
        text = _ENCODER.encode(payload)
    except (TypeError, ValueError, RecursionError):
        return None
    small = len(text) < _SMALL and text.count("{") == 1 and text.count("[") < MAX_DEPTH and "\\u0000" not in text
    if not small or not text.isascii() or not all(isinstance(key, str) for key in payload):
        return None
    return text


def _text(value: object, name: str, limit: int) -> str:
    for number, (pointer, node, depth) in enumerate(_walk(value)):
        if number >= MAX_NODES:
            raise InvalidPayload(f"the {name} has more than {MAX_NODES} values", pointer="")
        if depth > MAX_DEPTH:
            raise InvalidPayload(f"the {name} is nested deeper than {MAX_DEPTH} levels", pointer=pointer)
        if fault := _fault(node):
            raise InvalidPayload(f"the {name} has {fault} at {pointer or 'its root'}", pointer=pointer)
    text = _ENCODER.encode(value)
    if (size := len(text.encode())) > limit:
        hint = "keep large data elsewhere and pass an artifact_ref"
        raise InvalidPayload(f"the {name} has {size} bytes, more than {limit}; {hint}", pointer="")
    return text


def _walk(value: object) -> Iterator[tuple[str, object, int]]:
    """Every value with its pointer and depth, without recursion: a hostile depth must not reach the interpreter's."""
    stack: list[tuple[str, object, int]] = [("", value, 1)]
    while stack:
        pointer, node, depth = stack.pop()
        yield pointer, node, depth
        if isinstance(node, dict):
            for key, child in cast("dict[object, object]", node).items():
                yield f"{pointer}/{_escaped(key)}", _Key(key), depth
                stack.append((f"{pointer}/{_escaped(key)}", child, depth + 1))
        elif isinstance(node, list | tuple):
            children = cast("list[object]", node)
            stack.extend((f"{pointer}/{i}", child, depth + 1) for i, child in enumerate(children))


class _Key:
    """A key of an object, which is judged as one."""

    def __init__(self, value: object) -> None:
        self.value = value


def _escaped(key: object) -> str:
    shown = key if isinstance(key, str) else repr(key)
    return shown[:100].encode("utf-8", "replace").decode().replace("~", "~0").replace("/", "~1")


def _fault(node: object) -> str | None:
    match node:
        case _Key(value=str() as key):
            return fault_of(key)
        case _Key():
            return "a key that is no string"
        case None | bool() | dict() | list() | tuple():
            return None
        case str():
            return fault_of(node)
        case int():
            return None if -_MAX_NUMBER < node < _MAX_NUMBER else "a number of more than 309 digits"
        case float():
            return None if math.isfinite(node) else "a number that is not finite"
        case _:
            return f"a value of type {type(node).__name__}, which JSON does not have"
