"""Read the output of a command: mask it, split it into lines for the log, and find progress and result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from jobplane.core.masking import Masker, StreamMasker
from jobplane.worker.commands.journal import Journal
from jobplane.worker.commands.lines import Line, LineSplitter, Skipped
from jobplane.worker.commands.sayings import Sayings

TAIL_BYTES: Final = 64 * 1024
_SPARE: Final = 4  # a tail may begin within a character


class StreamOutput:
    """One of the two streams. `length` counts its bytes before they are masked."""

    def __init__(self, level: str, masks: Sequence[str], journal: Journal, sayings: Sayings | None) -> None:
        self.length = 0
        self._level = level
        self._masker = StreamMasker(masks)
        self._splitter = LineSplitter()
        self._journal = journal
        self._sayings = sayings
        if sayings is not None:
            sayings.masker = Masker(masks)
        self._tail = bytearray()

    def feed(self, data: bytes) -> None:
        """Take what was read."""
        self.length += len(data)
        self._take(self._masker.feed(data))

    def finish(self) -> None:
        """Take what was held back, at the end of the stream."""
        self._take(self._masker.close())
        if (rest := self._splitter.finish()) is not None:
            self._add(rest)
        if self._sayings is not None and (line := self._sayings.finish()) is not None:
            self._journal.add(self._level, line)

    @property
    def tail(self) -> str:
        """The last 64 KiB, as valid text that a store can keep."""
        text = self._tail.decode("utf-8", "replace").replace("\x00", "�")
        return text.encode()[-TAIL_BYTES:].decode("utf-8", "ignore")

    def _take(self, masked: bytes) -> None:
        if not masked:
            return
        self._tail += masked[-TAIL_BYTES - _SPARE :]
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[: -TAIL_BYTES - _SPARE]
        for line in self._splitter.feed(masked, newest=self._journal.is_behind):
            if isinstance(line, Skipped):
                self._skip(line)
            else:
                self._add(line)

    def _add(self, line: Line) -> None:
        """Add a line to the log, unless it is progress or may be the result."""
        if self._sayings is None:
            self._journal.add(self._level, line)
            return
        for each in self._sayings.sift(line):
            self._journal.add(self._level, each)

    def _skip(self, skipped: Skipped) -> None:
        lines, length = skipped.lines, skipped.length
        if self._sayings is not None:
            heard = self._sayings.hear(skipped.for_us)
            lines, length = lines - len(heard), length - sum(len(line) + 1 for line in heard)
        if lines:
            self._journal.skip(lines, length)
