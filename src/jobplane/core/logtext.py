"""Prepare a log line for the stores: valid text of bounded length, with a mark where something was cut."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from jobplane.core import bounds
from jobplane.core.errors import Invalid
from jobplane.core.logfields import encode_fields
from jobplane.core.logs import LogLevel
from jobplane.core.model import Json

MAX_MESSAGE: Final = 16 * 1024  # bytes of UTF-8
_ROOM: Final = 40  # for the mark: what was cut once is not cut again
MAX_WORDS: Final = 16
MAX_SEARCH: Final = 500
_WORD: Final = re.compile(r"[^\W_]+")
_LEVELS: Final[dict[str, LogLevel]] = {"debug": "debug", "info": "info", "warning": "warning", "error": "error"}


def clean_message(message: object) -> str:
    """A message without NUL and lone surrogates. A long one is cut and ends with the number of bytes that were cut."""
    try:
        text = message if isinstance(message, str) else str(message)
    except Exception:  # noqa: BLE001 an object's own method may raise anything
        text = f"{type(message).__name__}, which cannot be shown"
    if len(text) * 4 > MAX_MESSAGE and len(encoded := text.encode("utf-8", "replace")) > MAX_MESSAGE:
        kept = encoded[: MAX_MESSAGE - _ROOM].decode("utf-8", "ignore")
        text = f"{kept}… [{len(encoded) - len(kept.encode())} bytes cut]"
    return text.replace("\x00", "�").encode("utf-8", "replace").decode("utf-8")


def clean_fields(fields: Mapping[str, Json] | None) -> str | None:
    """Fields as JSON text. A note replaces a value that cannot be stored, the other fields stay."""
    return encode_fields(fields) if fields else None


def clean_level(level: object) -> LogLevel:
    return _LEVELS.get(level, "info") if isinstance(level, str) else "info"


def levels_from(level: object) -> list[LogLevel] | None:
    """A level and those above it; None: any."""
    if level is None:
        return None
    known = list(_LEVELS.values())
    if level not in known:
        raise Invalid(f"The level must be debug, info, warning or error, not {bounds.show(level, 100)}.")
    return known[known.index(level) :]


def words_of(text: object) -> list[str]:
    """The words of a search: runs of letters and digits, in lower case, each once."""
    if not isinstance(text, str):
        raise Invalid(f"The text of a search must be a string, not {type(text).__name__}.")
    if len(text) > MAX_SEARCH:
        raise Invalid(f"A search may have at most {MAX_SEARCH} characters, not {len(text)}.")
    words = list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))
    if not words:
        raise Invalid("A search needs at least one letter or digit.")
    if len(words) > MAX_WORDS:
        raise Invalid(f"A search may have at most {MAX_WORDS} words, not {len(words)}.")
    return words
