"""The lines on stdout by which a command reports progress, and its result in the last one."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from jobplane.core.masking import NO_SECRETS, Masker
from jobplane.worker.commands.lines import FOR_US, MAX_MESSAGE_FOR_US, Line, decode

MAX_MESSAGE: Final = 1000  # characters of a progress message
_TEXT_OR_MASK: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[-\d.]*\*\*\*[-+.\deE*]*')


class Sayings:
    """`progress` is what was said last and not yet taken. A line with a result waits: another one may follow.

    `masker` masks a message once more when it is decoded: a stream does not know a secret with a \\u for each letter.
    """

    def __init__(self) -> None:
        self.masker: Masker = NO_SECRETS
        self._progress: tuple[float | None, str | None] | None = None
        self._waiting: Line | None = None
        self._result: Any = None
        self.fault: str | None = None

    def sift(self, line: Line) -> Iterator[Line]:
        """The lines that belong to the log now that this one has come."""
        if line.length == 0 or not line.kept.strip():
            yield line
            return
        if (waiting := self._forget()) is not None:
            yield waiting
        if FOR_US.match(line.kept) is None or not self._read(line):
            yield line

    def hear(self, lines: Iterable[bytes]) -> list[bytes]:
        """Read lines that are not looked at otherwise, and do not come last. Returns those that were progress."""
        self._forget()
        heard = [line for line in lines if self._read(Line(line, len(line))) and self._waiting is None]
        self._forget()
        return heard

    def finish(self) -> Line | None:
        """At the end of the stream: the last line if it is no result after all."""
        return self._forget() if self.fault is not None else None

    @property
    def result(self) -> Any:
        """The result of the last line; only to be asked at the end, if `has_result`."""
        return self._result

    @property
    def has_result(self) -> bool:
        return self._waiting is not None

    def take_progress(self) -> tuple[float | None, str | None] | None:
        """The newest progress, once."""
        progress, self._progress = self._progress, None
        return progress

    def _forget(self) -> Line | None:
        waiting, self._waiting, self._result, self.fault = self._waiting, None, None, None
        return waiting

    def _read(self, line: Line) -> bool:
        """Whether the line is for us: then it is kept here."""
        if line.length > MAX_MESSAGE_FOR_US:
            self.fault = "The last line on stdout is longer than 1 MiB. Write a larger result to result.json."
            return False
        said = _parse(line.kept)
        if said is None:
            return False
        is_progress = self._note(said)
        if "result" in said:
            self._waiting, self._result = line, said["result"]
        return is_progress or "result" in said

    def _note(self, said: dict[str, Any]) -> bool:
        share, message = said.get("progress"), said.get("message")
        share = _share(share)
        message = self._shown(message) if isinstance(message, str) else None
        if share is None and message is None:
            return False
        before = self._progress or (None, None)
        self._progress = (before[0] if share is None else share, before[1] if message is None else message)
        return True

    def _shown(self, message: str) -> str:
        return decode(self.masker.mask(message).encode("utf-8", "replace"))[:MAX_MESSAGE]


def _parse(line: bytes) -> dict[str, Any] | None:
    """The value under `jobplane`, if the line is exactly one object with that name alone."""
    try:
        value = json.loads(_quote_masks(line) if b"***" in line else line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or list(cast("dict[str, Any]", value)) != ["jobplane"]:
        return None
    said = cast("dict[str, Any]", value)["jobplane"]
    return cast("dict[str, Any]", said) if isinstance(said, dict) else None


def _quote_masks(line: bytes) -> bytes:
    """A masked number is no JSON any more: it becomes the text `***`, as in the result of a handler."""
    return _TEXT_OR_MASK.sub(lambda found: found[0] if found[0].startswith(b'"') else b'"***"', line)


def _share(value: object) -> float | None:
    """A share of the work that a store can keep."""
    if isinstance(value, bool) or not isinstance(value, int | float) or math.isnan(value):
        return None
    return float(min(max(value, 0), 1))
