"""Cursors of lists that are in the order of a text, also of one that another program wrote and that is not UTF-8."""

from __future__ import annotations

from typing import Final

from jobplane.store.sqlite import checks

_NUL: Final = "\udc00"  # no text that can be kept has it, nor a byte that is not UTF-8


def cursor_of(key: str | bytes) -> str:
    """A stored text as a cursor: what cannot be decoded becomes lone surrogates."""
    text = key if isinstance(key, str) else key.decode("utf-8", "surrogateescape")
    return text.replace("\x00", _NUL)


def key_of(cursor: object) -> bytes:
    """The stored text that a cursor stands for, for a statement that casts it to text."""
    if isinstance(cursor, str) and "\x00" not in cursor:
        return cursor.replace(_NUL, "\x00").encode("utf-8", "surrogateescape")
    return checks.text("after", cursor).encode()
