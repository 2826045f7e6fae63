"""Write to a stream whose reader may block: a thread of its own waits for the reader.

Of processes that share the stream, each writes whole lines. Only a line of more than PIPE_BUF bytes can be torn, and
only while the reader is a full pipe behind.
"""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Final

_ROOM: Final = 1024 * 1024
_AT_ONCE: Final = 64 * 1024  # as much as a pipe takes: room comes back while the rest waits


class Outlet:
    """Writes bytes to a descriptor, in order. One caller at a time; not for use in a fork of the process."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._coming: SimpleQueue[bytes] = SimpleQueue()
        self._written: SimpleQueue[int] = SimpleQueue()
        self._under_way = 0
        self._thread: threading.Thread | None = None
        self.is_late = False  # the last wait timed out, and not all is written yet

    def has_room(self, size: int) -> bool:
        """Whether bytes of this size fit. Any number fits if no others are under way."""
        while not self._written.empty():
            self._note(self._written.get())
        return not self._under_way or self._under_way + size <= _ROOM

    def write(self, data: bytes) -> None:
        """Write soon, or now if no thread can be started because the process ends."""
        if self._has_thread():
            self._under_way += len(data)
            self._coming.put(data)
        else:
            _write(self._descriptor, data)

    def wait(self, seconds: float) -> None:
        """Wait until all is written or the time is over."""
        end = monotonic() + seconds
        try:
            while self._under_way:
                self._note(self._written.get(timeout=max(0.0, end - monotonic())))
        except Empty:
            self.is_late = True

    def _note(self, size: int) -> None:
        self._under_way -= size
        self.is_late = self.is_late and self._under_way > 0

    def _has_thread(self) -> bool:
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="jobplane-log", daemon=True)
            with suppress(RuntimeError):
                thread.start()
                self._thread = thread
        return self._thread is not None

    def _run(self) -> None:
        while True:
            data = self._coming.get()
            while len(data) < _AT_ONCE and not self._coming.empty():
                data += self._coming.get()
            for part in _parts(data):
                _write(self._descriptor, part)
                self._written.put(len(part))


def _parts(data: bytes) -> Iterator[bytes]:
    """Split into whole lines, as many as a pipe takes in one piece. A longer line is alone."""
    start = 0
    while start < len(data):
        end = data.rfind(b"\n", start, start + select.PIPE_BUF) + 1 or data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end


def _write(descriptor: int, data: bytes) -> None:
    with suppress(OSError):  # whoever read the stream may be gone
        while data:
            try:
                data = data[os.write(descriptor, data) :]
            except BlockingIOError:  # another process has made it so, for all who share it
                room = select.poll()
                room.register(descriptor, select.POLLOUT)
                room.poll()
