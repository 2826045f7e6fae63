"""Text of jobs on its way to a terminal."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Final

# What of a log may reach a terminal: text, tabs, newlines and colours; no cursor moves, titles or links.
_CONTROLS: Final = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"
    r"|\x1b.?|[\x00-\x08\x0b-\x1f\x7f-\x9f]"
)
_COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*m")
_END_OF_COLOUR: Final = "\x1b[0m"
# Characters that move text about without being controls: separators of lines, and marks that turn its direction.
_UNSEEN: Final = re.compile(r"[\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_C1: Final = re.compile(r"[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def harmless(text: str) -> str:
    """Without what could move a cursor, set a title or make a link; a colour ends with its line."""
    kept = _CONTROLS.sub(lambda found: found[0] if _COLOUR.fullmatch(found[0]) else "", text)
    return kept + _END_OF_COLOUR if "\x1b" in kept else kept


def plain(text: str) -> str:
    """The same on one line, and without colours: for a cell of a table."""
    return _UNSEEN.sub("", _CONTROLS.sub("", " ".join(text.split())))


def block(text: str) -> str:
    """The same on several lines, without colours: for a text that stands alone."""
    return _UNSEEN.sub("", _CONTROLS.sub("", text))


def is_unsafe(text: str) -> bool:
    """Whether a terminal would obey some of it."""
    return bool(_C1.search(text))


def as_json(value: object, *, indent: int | None = 2) -> str:
    """JSON that can be read back and printed: what a terminal would obey is escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    return _C1.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def cut(text: str, most: int) -> str:
    """At most so many columns; what was cut off is an ellipsis."""
    if width(text) <= most:
        return text
    kept, used = "", 1
    for letter in text:
        used += _columns(letter)
        if used > most:
            break
        kept += letter
    return f"{kept}…"


def format_bytes(size: int) -> str:
    """A size for people: 812 B, 1.4 MiB."""
    if size < 1024:
        return f"{size} B"
    amount, units = size / 1024, ["KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        del units[0]
    return f"{amount:.1f} {units[0]}"
