"""What a handler says, as text and JSON that a store can keep."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import cast

import orjson

from jobplane.core.logfields import fit_fields
from jobplane.core.logs import LogLevel
from jobplane.core.logtext import MAX_MESSAGE, clean_message
from jobplane.core.masking import NO_SECRETS, Masker, mask_headers
from jobplane.core.payload import FIELDS, storable
from jobplane.execution.masked_values import mask_values


class PartialLines:
    """What streams were given and have not ended with a newline, by level and thread.

    `print` writes a text and its newline apart, and another thread may come in between.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[tuple[LogLevel, int], str] = {}
        self._cut: set[tuple[LogLevel, int]] = set()

    def whole(self, level: LogLevel, text: str, masker: Masker) -> list[str]:
        """The lines that this ends, not masked yet. One that is too long for a log does not wait for its newline.

        The end of such a line waits where a secret may have begun in it.
        """
        stream = level, threading.get_ident()
        with self._lock:
            if stream in self._cut:
                self._cut.discard(stream)
                if stream not in self._texts:  # the newline ends a line that has gone already
                    text = text.removeprefix("\n")
            *lines, rest = (self._texts.pop(stream, "") + text).split("\n")
            if len(rest) > MAX_MESSAGE:
                shown, rest = masker.divide(rest)
                if shown:
                    lines.append(shown)
                    self._cut.add(stream)
            if rest:
                self._texts[stream] = rest
        return [line.rstrip("\r") for line in lines]

    def rest(self) -> list[tuple[LogLevel, str]]:
        """What is left at the end, once."""
        with self._lock:
            texts, self._texts = self._texts, {}
        return [(level, text) for (level, _), text in texts.items()]


def cut(message: object, masker: Masker) -> str:
    """Masked, and as the store will keep it, so that no more than that is on its way."""
    text = message if isinstance(message, str) else storable(message) or ""
    text = mask_headers(text) if masker is NO_SECRETS else masker.mask(text)
    return clean_message(text) if len(text) * 4 > MAX_MESSAGE else storable(text) or ""


def encode_fields(fields: Mapping[str, object], masker: Masker) -> bytes:
    """Fields as JSON that a store can keep, masked, whatever they are."""
    try:
        text = orjson.dumps(dict(fields), default=_show, option=orjson.OPT_NON_STR_KEYS)
    except (TypeError, ValueError, RecursionError):  # a huge number, a lone surrogate: as Python shows them
        text = orjson.dumps({storable(name) or "": _to_json(value) for name, value in fields.items()})
    if masker is not NO_SECRETS or b"uthorization" in text or b"UTHORIZATION" in text:
        text = orjson.dumps(mask_values(orjson.loads(text), masker))
    if b"\\u0000" in text:
        text = text.replace(b"\\u0000", b"\\ufffd")
    elif len(text) <= FIELDS.bytes:
        return text
    fields = cast("dict[str, object]", orjson.loads(text))
    # Decoded and encoded again: the supervisor counts the bytes in the same way.
    return orjson.dumps(fields if len(text) <= FIELDS.bytes else orjson.loads(fit_fields(fields)))


def _to_json(value: object) -> object:
    if isinstance(value, str):
        return storable(value)
    try:
        orjson.dumps(value)
    except (TypeError, ValueError, RecursionError):
        return _show(value)
    return value


def _show(value: object) -> str:
    try:
        return storable(repr(value)) or ""
    except Exception:  # noqa: BLE001 an object's own method may raise anything
        return f"{type(value).__name__}, which cannot be shown"
