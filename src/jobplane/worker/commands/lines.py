"""Split a stream of bytes into lines without keeping more of it than a log shows."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_MESSAGE: Final = 16 * 1024  # bytes of UTF-8, as in core/logtext.py
MAX_MESSAGE_FOR_US: Final = 1024 * 1024  # a result
NEWEST: Final = 200  # lines of a block that is not read whole
FOR_US: Final = re.compile(rb'[ \t]*\{\s*"jobplane"')
_FOR_US_LINE: Final = re.compile(rb'^[ \t]*\{\s*"jobplane".*$', re.MULTILINE)
_BEGIN: Final = 64  # bytes that tell whether a line is for us
_ROOM: Final = 48  # for the mark of a cut


class Line(NamedTuple):
    """`kept` of a line's `length` bytes, without its newline."""

    kept: bytes
    length: int


class Skipped(NamedTuple):
    """Lines that nobody looked at, but for those `for_us`."""

    lines: int
    length: int
    for_us: list[bytes]


class LineSplitter:
    """Lines may come in any pieces. Of a long one only the first bytes are kept, and its length."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._length = 0

    def feed(self, data: bytes, *, newest: bool) -> Iterator[Line | Skipped]:
        """The lines that end in the data. `newest`: of many lines only the newest are of interest."""
        end = data.find(b"\n")
        if end < 0:
            self._add(data)
            return
        self._add(data[:end])
        yield self._take()
        last = data.rfind(b"\n")
        if last > end:
            yield from _split(data[end + 1 : last], newest=newest)
        self._add(data[last + 1 :])

    def finish(self) -> Line | None:
        """The line without a newline at the end."""
        return self._take() if self._length else None

    def _add(self, part: bytes) -> None:
        self._length += len(part)
        room = MAX_MESSAGE + 1
        if len(self._kept) + len(part) > room and FOR_US.match(bytes(self._kept[:_BEGIN]) + part[:_BEGIN]):
            room = MAX_MESSAGE_FOR_US + 1
        if len(self._kept) < room:
            self._kept += part[: room - len(self._kept)]

    def _take(self) -> Line:
        line = Line(bytes(self._kept), self._length)
        self._kept.clear()
        self._length = 0
        return line


def _split(block: bytes, *, newest: bool) -> Iterator[Line | Skipped]:
    """Whole lines of one piece of data, which are no longer than that."""
    lines = block.rsplit(b"\n", NEWEST) if newest else block.split(b"\n")
    if newest and len(lines) > NEWEST:
        older = lines.pop(0)
        for_us = [found[0] for found in _FOR_US_LINE.finditer(older)] if b'"jobplane"' in older else []
        yield Skipped(older.count(b"\n") + 1, len(older) + 1, for_us)
    for line in lines:
        yield Line(line, len(line))


def show_line(line: Line) -> tuple[str, int]:
    """A line as a log shows it, and how many of its bytes are not shown."""
    if line.length <= MAX_MESSAGE:
        text = decode(line.kept)
        if len(text) * 3 <= MAX_MESSAGE or len(text.encode()) <= MAX_MESSAGE:
            return text, 0
    kept, room = line.kept[: MAX_MESSAGE - _ROOM], MAX_MESSAGE - _ROOM
    text = _decode_begin(kept)
    while (size := len(text.encode())) > room:  # invalid bytes take three each
        kept = kept[: min(len(kept) * room // size, len(kept) - 1)]
        text = _decode_begin(kept)
    missing = line.length - len(kept)
    return f"{text}… [{missing} bytes cut]", missing


def decode(data: bytes) -> str:
    """Valid text that a store can keep: U+FFFD stands for what is none, and for NUL."""
    return data.rstrip(b"\r").decode("utf-8", "replace").replace("\x00", "�")


def _decode_begin(data: bytes) -> str:
    """The same of the begin of a longer text, without a character that is cut."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(data).replace("\x00", "�")
