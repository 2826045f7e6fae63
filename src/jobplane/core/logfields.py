"""The fields of a log line as JSON that a store can keep. A field that does not fit does not cost the others."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import islice
from typing import Final

import orjson

from jobplane.core.errors import InvalidPayload
from jobplane.core.payload import FIELDS, Limits, encode_part, storable

_MOST: Final = 200  # fields of a line whose fields do not fit as they are
_NAME: Final = 100  # characters of a field's name
_SPARE: Final = 64  # bytes for the count of the fields that are left out
_ONE: Final = Limits(bytes=2**30, values=100_000)  # of a value that is going to be cut


def encode_fields(fields: Mapping[str, object]) -> str:
    """The fields of a log line as JSON text. It never fails: a note replaces a value that cannot be stored."""
    try:
        return encode_part(fields, "fields", FIELDS)
    except Exception:  # noqa: BLE001 what a handler logs may raise anything when it is looked at
        return fit_fields(fields) if isinstance(fields, dict) else '{"fields_not_stored":1}'


def fit_fields(fields: Mapping[str, object]) -> str:
    """The fields as JSON text within the limits of a line: the largest values are cut, the small ones stay."""
    found = [_Field(name, value) for name, value in islice(fields.items(), _MOST)]
    room, values = FIELDS.bytes - _SPARE, FIELDS.values - len(found) - 1
    by_size = sorted(found, key=lambda field: len(field.encoded))
    for left, field in zip(range(len(by_size), 0, -1), by_size, strict=True):
        field.cut(room // left, values)
        room -= len(field.encoded)
        values -= field.values
    return _join(found, len(fields))


def _join(found: list[_Field], count: int) -> str:
    """The first fields that fit, and how many are left out."""
    kept, size = list[bytes](), _SPARE
    for field in found:
        size += len(field.encoded)
        if size > FIELDS.bytes:
            break
        kept.append(field.encoded)
    if len(kept) < count:
        kept.append(b'"fields_not_stored":%d' % (count - len(kept)))
    return (b"{" + b",".join(kept) + b"}").decode()


class _Field:
    """One field; `encoded` is its part of the JSON object, `values` how many values it has beside itself."""

    def __init__(self, name: object, value: object) -> None:
        self._name = orjson.dumps((storable(name) or "")[:_NAME]) + b":"
        self._text, encoded = _encode(value)
        self.values = 0 if encoded[:1] not in (b"{", b"[") else 1 + encoded.count(b",")
        self.encoded = self._name + encoded

    def cut(self, most: int, values: int) -> None:
        """Replace a value that is too large by the begin of its text."""
        if len(self.encoded) < most and self.values <= values:
            return
        whole = self._text.encode()
        room = most - len(self._name) - len(_mark(len(whole), len(whole)).encode()) - 1
        kept = _begin(self._text, max(0, room))
        cut = len(whole) - len(kept.encode())
        self.encoded = self._name + orjson.dumps(f"{kept}{_mark(cut, len(whole))}" if cut else kept)
        self.values = 0


def _encode(value: object) -> tuple[str, bytes]:
    """A value as text and as JSON. A note replaces a value that JSON does not have."""
    try:
        encoded = encode_part(value, "field", _ONE)
    except InvalidPayload as error:
        value = f"[not stored: {error.message.partition('. ')[0].rstrip('.')}]"
    except Exception as error:  # noqa: BLE001 what a handler logs may raise anything when it is looked at
        value = f"[not stored: reading it raised {type(error).__name__}]"
    else:
        return (value if isinstance(value, str) else encoded), encoded.encode()
    return value, orjson.dumps(value)


def _begin(text: str, room: int) -> str:
    """As much of the start of a text as fits into a number of bytes of JSON."""
    lengths = range(min(len(text), room) + 1)
    return text[: bisect_right(lengths, room, key=lambda length: len(orjson.dumps(text[:length]))) - 1]


def _mark(cut: int, size: int) -> str:
    return f"… [{cut} of {size} bytes cut]"
