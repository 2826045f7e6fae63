"""Turn the faults that pydantic finds in a document into JSON pointers and sentences.

Nothing here imports pydantic: a fault is one dictionary of `ValidationError.errors()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, cast

from jobplane.core.bounds import KEY, KEY_RULE, QUEUE, QUEUE_RULE

Fault = Mapping[str, Any]

_BE: Final = "It must be "
_RULES: Final[Mapping[str, str]] = {f"^{KEY.pattern}$": KEY_RULE, f"^{QUEUE.pattern}$": QUEUE_RULE}
_KINDS: Final[Mapping[str, str]] = {
    "string_type": "a text",
    "string_unicode": "a text of Unicode characters",
    "string_sub_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_parsing_size": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "list_type": "a list",
    "tuple_type": "a list",
    "none_required": "null",
    "uuid_type": "a UUID",
    "uuid_parsing": "a UUID",
    "timezone_aware": "a time with a zone, like 2026-11-15T12:00:00Z",
    **dict.fromkeys(
        ("datetime_type", "datetime_parsing", "datetime_from_date_parsing", "datetime_object_invalid"),
        "a time as in RFC 3339, like 2026-11-15T12:00:00Z",
    ),
}
_LIMITS: Final[Mapping[str, tuple[str, str]]] = {
    "greater_than_equal": ("ge", "at least {}"),
    "less_than_equal": ("le", "at most {}"),
    "greater_than": ("gt", "greater than {}"),
    "less_than": ("lt", "less than {}"),
}


def describe_fault(fault: Fault) -> str:
    """The rule that a value breaks, as a sentence that does not repeat the value."""
    kind = str(fault["type"])
    if (wanted := _wanted(fault)) is not None:
        return f"{_BE}{wanted}."
    if (say := _SENTENCES.get(kind)) is not None:
        return say(fault)
    message = str(fault["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    message = message.replace("Input should be ", _BE)
    return f"{message[:1].upper()}{message[1:].rstrip('.')}."


def describe_faults(faults: Sequence[Fault]) -> str:
    """The same of several faults of one place, each found by one of the types that the value may have."""
    wanted = [found for fault in faults if (found := _wanted(fault)) is not None]
    if len(wanted) < len(faults):
        return " ".join(dict.fromkeys(map(describe_fault, faults)))
    return f"{_BE}{', or '.join(dict.fromkeys(wanted))}."


def group_faults(faults: Iterable[Fault], document: object, skip: int = 0) -> dict[str, list[Fault]]:
    """The faults by their places in the document. `skip` is how many steps of a place do not belong to it.

    A value that fits none of several types has a fault for each of them. Those of the type that it comes nearest to are
    kept: where a fault lies inside a value, that value has the right type.
    """
    found: dict[str, list[Fault]] = {}
    for fault in faults:
        found.setdefault(pointer_of(fault, document, skip), []).append(fault)
    return {place: each for place, each in found.items() if not _is_other_type(place, each, found, skip)}


def pointer_of(fault: Fault, document: object, skip: int = 0) -> str:
    """The JSON pointer of a fault, without the names of types that pydantic puts into a place."""
    steps = cast("Sequence[int | str]", fault["loc"])[skip:]
    value, pointer = document, ""
    for number, step in enumerate(steps, 1):
        is_there, inside = _enter(value, step)
        if is_there or (number == len(steps) and fault["type"] == "missing"):
            pointer += "/" + str(step).replace("~", "~0").replace("/", "~1")
            value = inside
    return pointer


def _enter(value: object, step: int | str) -> tuple[bool, object]:
    match value, step:
        case dict(), str():
            members = cast("dict[str, object]", value)
            return step in members, members.get(step)
        case ((list() | tuple()), int()):
            items = cast("Sequence[object]", value)
            return 0 <= step < len(items), items[step] if 0 <= step < len(items) else None
        case _:
            return False, None


def _is_other_type(place: str, faults: Sequence[Fault], found: Mapping[str, object], skip: int) -> bool:
    is_of_a_type = any(len(fault["loc"]) - skip > place.count("/") for fault in faults)
    return is_of_a_type and any(other.startswith(f"{place}/") for other in found)


def _wanted(fault: Fault) -> str | None:
    """A sentence that says what the value must be, for the rules that have one."""
    kind, context = str(fault["type"]), cast("Mapping[str, Any]", fault.get("ctx") or {})
    if kind in _LIMITS:
        name, text = _LIMITS[kind]
        limit = context[name]
        return text.format(int(limit) if isinstance(limit, float) and limit.is_integer() else limit)
    if kind in ("literal_error", "enum"):
        return str(context["expected"]).replace("'", '"')
    return _KINDS.get(kind)


def _at_most(fault: Fault) -> str:
    most = fault["ctx"]["max_length"]
    return f"It must have at most {_counted(most, fault)}."


def _at_least(fault: Fault) -> str:
    least = fault["ctx"]["min_length"]
    return f"It must have at least {_counted(least, fault)}."


def _counted(number: int, fault: Fault) -> str:
    noun = "character" if isinstance(fault.get("input"), str) else "entry"
    more = "characters" if noun == "character" else "entries"
    return f"{number:,} {noun if number == 1 else more}"


def _pattern(fault: Fault) -> str:
    pattern = fault["ctx"]["pattern"]
    return _RULES.get(pattern) or f"It must match the pattern {pattern}."


_SENTENCES: Final[Mapping[str, Callable[[Fault], str]]] = {
    "missing": lambda _: "It is required.",
    "extra_forbidden": lambda _: "There is no such field.",
    "string_too_long": _at_most,
    "too_long": _at_most,
    "string_too_short": _at_least,
    "too_short": _at_least,
    "string_pattern_mismatch": _pattern,
}
