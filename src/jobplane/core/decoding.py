"""Stored rows as values, whatever another program has written into them.

A column that cannot be decoded becomes None, and its name is in the field `undecodable` of the value. A driver hands
over the raw `bytes` of what it cannot decode itself; no column that is read here is binary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from typing import Any, Final, Generic, TypeVar, cast

from jobplane.core.errors import InvalidPayload
from jobplane.core.model import Document

Value = TypeVar("Value")
Read = Callable[[Any], Any]

MARK: Final = "undecodable"
FAULTS: Final = (ValueError, TypeError, OverflowError, RecursionError)  # what reading a bad column raises
# Characters of a JSON text, 16 times as many as a verb writes. SQLite keeps a gigabyte, which would take ten to decode.
LONGEST: Final = 16 * 1024 * 1024


def names_of(kind: type) -> tuple[str, ...]:
    """The columns of a dataclass or a named tuple: its fields without the mark."""
    names: Iterable[str] = getattr(kind, "_fields", None) or (field.name for field in fields(kind))
    return tuple(name for name in names if name != MARK)


class Reader(Generic[Value]):
    """Makes a value out of each row whose columns are the fields of its class, in order.

    `reads` has a function for each column that is more than a text or a number. It raises one of FAULTS.
    """

    def __init__(self, kind: type[Value], **reads: Read) -> None:
        self._make: Callable[..., Value] = kind
        self._names = names_of(kind)
        self._reads = [(at, reads[name]) for at, name in enumerate(self._names) if name in reads]

    def __call__(self, row: Sequence[Any]) -> Value:
        values = list(row)
        try:
            for at, read in self._reads:
                values[at] = read(values[at])
        except FAULTS:
            return self._read_and_mark(row)
        return self._read_and_mark(row) if bytes in map(type, values) else self._make(*values)

    def _read_and_mark(self, row: Sequence[Any]) -> Value:
        """The same, column by column."""
        values, reads, bad = list(row), dict(self._reads), list[str]()
        for at, name in enumerate(self._names):
            try:
                values[at] = _decode_value(row[at], reads.get(at))
            except FAULTS:
                values[at] = None
                bad.append(name)
        return self._make(*values, undecodable=tuple(bad))


def _decode_value(value: Any, read: Read | None) -> Any:
    if type(value) is bytes:
        raise ValueError("the driver could not decode it")
    return value if read is None else read(value)


def text_or_bytes(raw: bytes) -> str | bytes:
    """A text of a database, or its bytes where it is not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


def _refuse(constant: str) -> None:
    raise ValueError(f"JSON has no {constant}")


_decoder: Final = json.JSONDecoder(parse_constant=_refuse)
_decode, _start = _decoder.decode, _decoder.raw_decode  # json.loads takes a fifth longer


def loads(text: Any) -> Any:
    """JSON text as its value; None stays None. NaN, infinity and a lone surrogate are no JSON and raise ValueError."""
    if text is None:
        return None
    if len(text) > LONGEST:
        raise ValueError(f"more than {LONGEST} characters")
    return _check(text, _decode(text))


def document(text: Any) -> Document:
    """JSON text as an object."""
    if text[:1] != "{" or text[-1:] != "}" or len(text) > LONGEST:  # white space around it, as a rule
        return as_object(loads(text))
    value, end = _start(text)  # a third faster than decode, which looks for white space
    if end != len(text):
        raise ValueError("more than one JSON value")
    return _check(text, value)


def _check(text: str, value: Any) -> Any:
    """The value; raises ValueError where it has a lone surrogate, which can only come from an escape."""
    if "\\u" in text:
        json.dumps(value, ensure_ascii=False).encode()
    return value


def texts(text: Any) -> list[str]:
    """JSON text as a list of texts."""
    return as_texts(loads(text))


def as_object(value: object) -> Document:
    """A JSON object, or TypeError."""
    if not isinstance(value, dict):
        raise TypeError("not a JSON object")
    return cast("Document", value)


def as_texts(value: object) -> list[str]:
    """A list of texts, or TypeError."""
    if not isinstance(value, list) or not all(type(item) is str for item in cast("list[object]", value)):
        raise TypeError("not a list of texts")
    return cast("list[str]", value)


def optional(read: Callable[[Any], Value]) -> Callable[[Any], Value | None]:
    """The same for a column that may be null."""
    return lambda value: None if value is None else read(value)


def readable(stored: Any, read: Callable[[Any], Value]) -> Value | None:
    """What a stored value says, None where it cannot be decoded."""
    try:
        return read(stored)
    except FAULTS:
        return None


def refuse_undecodable(names: Sequence[str]) -> None:
    """Raise InvalidPayload where a job has columns that cannot be decoded: its handler must not run without them."""
    if names:
        raise undecodable(names)


def undecodable(names: Sequence[str]) -> InvalidPayload:
    """Why a job cannot run: these of its columns cannot be decoded."""
    return InvalidPayload(f"The job cannot be decoded: {', '.join(names)}.", undecodable=list(names))
