"""The filters of templates: pure, without arguments, and strict about what they convert."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from jobplane.core.payload import PAYLOAD

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,309}", re.ASCII)
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,309}(\.[0-9]{1,309})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Misfit(Exception):
    """A value that a filter cannot convert."""


def to_json(value: Any) -> str:
    """The value as JSON text."""
    try:
        return _bounded(_ENCODER.encode(value))
    except (TypeError, ValueError, RecursionError):
        raise Misfit("It is not a JSON value.") from None


def to_text(value: Any) -> str:
    """A text as it is, anything else as JSON text."""
    return _bounded(value) if isinstance(value, str) else to_json(value)


def _bounded(text: str) -> str:
    if len(text) > PAYLOAD.bytes:
        raise Misfit(f"The text has {len(text)} characters, more than the {PAYLOAD.bytes} of a payload.")
    return text


def _to_int(value: Any) -> int:
    match value:
        case bool():
            pass
        case int():
            return value
        case float() if value.is_integer():
            return int(value)
        case str() if len(value) < 1000 and _WHOLE.fullmatch(value.strip()):
            return int(value)
        case _:
            pass
    raise Misfit(f"{_shown(value)} is not a whole number.")


def _to_float(value: Any) -> float:
    found = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        found = _float(value)
    elif isinstance(value, str) and len(value) < 1000 and _NUMBER.fullmatch(value.strip()):
        found = float(value)
    if math.isfinite(found):
        return found
    raise Misfit(f"{_shown(value)} is not a number.")


def _float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _of_text(change: Callable[[str], str]) -> Callable[[Any], str]:
    def changed(value: Any) -> str:
        if not isinstance(value, str):
            raise Misfit(f"{_shown(value)} is not a text. Write | string before it.")
        return change(_bounded(value))

    return changed


def _shown(value: Any) -> str:
    """A value in a message: payloads may be secret, so only its kind."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "This number"
        case str():
            return "This text"
        case list() | tuple():
            return "A list"
        case _:
            return "An object"


FILTERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "float": _to_float,
    "int": _to_int,
    "lower": _of_text(str.lower),
    "string": to_text,
    "tojson": to_json,
    "trim": _of_text(str.strip),
    "upper": _of_text(str.upper),
}
