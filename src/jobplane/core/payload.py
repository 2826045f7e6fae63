"""Encode JSON that both stores can keep. A value that cannot be kept is refused with a JSON pointer to it."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, cast

import orjson

from jobplane.core.errors import Invalid, InvalidPayload
from jobplane.core.model import Json

MAX_TEXT: Final = 64 * 1024
_MAX_NUMBER: Final = 10**309
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_SMALL: Final = 309  # shorter than this, no number is too long and no count of values too high
_SIMPLE: Final = frozenset({str, int, bool, type(None)})  # what every encoder writes alike
# From here on repr() rounds: it writes 1e+23 for 99999999999999991611392, and a store that counts in tens keeps 10^23.
_WIDE: Final = 1e16


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a document may be; a value inside an object or a list is one level deeper than that."""

    bytes: int
    depth: int = 64
    values: int = 10_000


PAYLOAD: Final = Limits(bytes=64 * 1024)
RESULT: Final = Limits(bytes=256 * 1024)
FIELDS: Final = Limits(bytes=16 * 1024, values=1000)  # of a log line
DOCUMENT: Final = Limits(bytes=1024 * 1024, depth=80, values=20_000)  # a payload or a schema fits into it


def encode(payload: object) -> str:
    """The payload as JSON text, or InvalidPayload with a JSON pointer to the first fault."""
    if not isinstance(payload, Mapping):
        raise InvalidPayload("The payload must be a JSON object.", pointer="")
    return _plain(cast("Mapping[object, object]", payload)) or _text(cast("object", payload), "payload", PAYLOAD)


def encode_document(document: object, name: str) -> str:
    """A JSON object beside a payload as text, or Invalid: changes, metadata, a definition."""
    if not isinstance(document, Mapping):
        raise Invalid(f"The {name} must be a JSON object, not {type(document).__name__}.")
    try:
        return _text(cast("object", document), name, DOCUMENT)
    except InvalidPayload as error:
        raise Invalid(error.message, **error.facts) from None


def result_text(result: Json) -> str:
    """A result as JSON text, or InvalidPayload with a JSON pointer to the first fault."""
    return _text(result, "result", RESULT)


def encode_result(result: Json) -> str:
    """A result as JSON text for a store. It never fails: a note replaces a result that cannot be kept."""
    try:
        return result_text(result)
    except InvalidPayload as error:
        facts = {"sha256": error.facts["sha256"]} if "sha256" in error.facts else {}
        return json.dumps({"result_not_stored": error.message, "content_altered": True, **facts})
    except Exception as error:  # noqa: BLE001 what a handler left may raise anything when it is looked at
        fault = f"Reading the result raised {type(error).__name__}."
        return json.dumps({"result_not_stored": fault, "content_altered": True})


def encode_part(value: object, name: str, limits: Limits) -> str:
    """A value of a larger document as JSON text, or InvalidPayload with a JSON pointer to the first fault."""
    plain = _plain(cast("Mapping[object, object]", value)) if isinstance(value, dict) else None
    return plain or _text(cast("object", value), name, limits)


def storable(text: object) -> str | None:
    """A text that every store can keep: no NUL, no lone surrogate, cut at MAX_TEXT. Other values become str(value)."""
    if text is None:
        return None
    try:
        kept = (text if isinstance(text, str) else str(text))[:MAX_TEXT].replace("\x00", "�")
    except Exception:  # noqa: BLE001 an object's own method may raise anything
        kept = f"{type(text).__name__}, which cannot be shown"
    return kept.encode("utf-8", "replace").decode("utf-8")


def fault_of(text: str) -> str | None:
    """Why a text cannot be kept as it is, or None."""
    if "\x00" in text:
        return "a NUL character"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "a lone surrogate"
    return None


def _plain(payload: Mapping[object, object]) -> str | None:
    """Encode a small flat object at a tenth of the cost of `_text`. None: use `_text`."""
    if _SIMPLE.issuperset(map(type, payload.values())):
        return _simple(payload)
    try:
        text = _ENCODER.encode(payload)
    except (TypeError, ValueError, RecursionError):
        return None
    flat = text.count("{") == 1 and text.count("[") < PAYLOAD.depth - 1
    if len(text) >= _SMALL or not flat or not text.isascii() or "\\u0000" in text or "e+" in text:
        return None
    return text if all(isinstance(key, str) for key in payload) else None


def _simple(payload: Mapping[object, object]) -> str | None:
    """Encode an object of texts and whole numbers alone, at a tenth of that cost again."""
    try:
        text = orjson.dumps(payload).decode()
    except orjson.JSONEncodeError:
        return None
    return None if len(text) > PAYLOAD.values or "\\u0000" in text else text


def _text(value: object, name: str, limits: Limits) -> str:
    values, wide = 0, False
    plural = name.endswith("s")
    subject = f"The {name} {'have' if plural else 'has'}"
    for pointer, node, depth in _walk(value):
        values += not isinstance(node, _Key)
        wide = wide or (isinstance(node, float) and abs(node) >= _WIDE)
        if values > limits.values:
            raise InvalidPayload(f"{subject} more than {limits.values} values.", pointer="", limit="values")
        if depth > limits.depth:
            fault = f"The {name} {'are' if plural else 'is'} nested deeper than {limits.depth} levels."
            raise InvalidPayload(fault, pointer=pointer, limit="depth")
        if fault := _fault(node):
            raise InvalidPayload(f"{subject} {fault} at {pointer or 'the root'}.", pointer=pointer)
    text = _ENCODER.encode(_exact(value) if wide else value)
    if len(encoded := text.encode()) > limits.bytes:
        size = f"{subject} {len(encoded)} bytes, more than {limits.bytes}"
        message = f"{size}. Keep large data elsewhere and pass an artifact_ref."
        raise InvalidPayload(message, pointer="", limit="bytes", sha256=hashlib.sha256(encoded).hexdigest())
    return text


def _exact(node: object) -> object:
    """The same value with every wide float as the whole number that it is."""
    match node:
        case float() if abs(node) >= _WIDE:
            return int(node)
        case dict():
            return {key: _exact(child) for key, child in cast("dict[object, object]", node).items()}
        case list() | tuple():
            return [_exact(child) for child in cast("list[object]", node)]
        case _:
            return node


def _walk(value: object) -> Iterator[tuple[str, object, int]]:
    """Every key and value with its pointer and depth, in order; without recursion, and no further than it is asked."""
    yield "", value, 1
    open_: list[Iterator[tuple[str, object]]] = [_children("", value)]
    while open_:
        for pointer, node in open_[-1]:
            yield pointer, node, len(open_) + 1
            if isinstance(node, dict | list | tuple):
                open_.append(_children(pointer, cast("object", node)))
                break
        else:
            open_.pop()


def _children(pointer: str, node: object) -> Iterator[tuple[str, object]]:
    if isinstance(node, dict):
        for key, child in cast("dict[object, object]", node).items():
            here = f"{pointer}/{_escape(key)}"
            yield here, _Key(key)
            yield here, child
    elif isinstance(node, list | tuple):
        for i, child in enumerate(cast("list[object]", node)):
            yield f"{pointer}/{i}", child


class _Key:
    """A key of an object, which is judged as one."""

    def __init__(self, value: object) -> None:
        self.value = value


def _escape(key: object) -> str:
    shown = key if isinstance(key, str) else type(key).__name__
    return (storable(shown[:100]) or "").replace("~", "~0").replace("/", "~1")


def _fault(node: object) -> str | None:
    match node:
        case _Key(value=str() as key):
            return fault_of(key)
        case _Key():
            return "a key that is not a string"
        case None | bool() | dict() | list() | tuple():
            return None
        case str():
            return fault_of(node)
        case int():
            return None if -_MAX_NUMBER < node < _MAX_NUMBER else "a number of more than 309 digits"
        case float():
            return None if math.isfinite(node) else "a number that is not finite"
        case _:
            return f"a value of type {type(node).__name__} (not a JSON type)"
