"""The record of a test, kept outside the database under test: a Unix datagram socket that every process writes to."""

from __future__ import annotations

import json
import os
import socket
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

from tests.faults.history import Event, Kind

SOCKET: Final = "JOBPLANE_TEST_RECORDER"
_LAST: Final = b"end"


class Pen:
    """Writes from any process; a line that was sent is there, even if its sender dies at once."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    def write(self, kind: Kind, **facts: object) -> None:
        line = {"at": time.monotonic(), "kind": kind, **facts}
        self._socket.sendto(json.dumps(line).encode(), self._path)

    @staticmethod
    def of_this_process() -> Pen:
        return Pen(os.environ[SOCKET])


class Recorder:
    """What was written so far, in the order of arrival."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.started: set[str] = set()
        self._lines: dict[Kind, list[Event]] = {}

    @property
    def events(self) -> list[Event]:
        return [line for lines in tuple(self._lines.values()) for line in tuple(lines)]

    def note(self, kind: Kind, **facts: Any) -> None:
        """A line of the test itself."""
        self._keep(Event(at=time.monotonic(), kind=kind, **facts))

    def count(self, kind: Kind, **facts: object) -> int:
        """How many lines of a kind have these facts."""
        return len(self.having(kind, **facts))

    def having(self, kind: Kind, **facts: object) -> list[Event]:
        found = tuple(self._lines.get(kind, ()))
        return [line for line in found if all(getattr(line, name) == value for name, value in facts.items())]

    def read(self, inbox: socket.socket) -> None:
        while (line := inbox.recv(65536)) != _LAST:
            self._keep(Event(**cast("dict[str, Any]", json.loads(line))))

    def _keep(self, event: Event) -> None:
        self._lines.setdefault(event.kind, []).append(event)
        if event.kind == "start" and event.job:
            self.started.add(event.job)


@contextmanager
def recording() -> Generator[Recorder]:
    """A recorder that reads until the block ends; what was sent before is in it then."""
    with tempfile.TemporaryDirectory(prefix="jobplane-record-") as directory:
        path = str(Path(directory) / "socket")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as inbox:
            inbox.bind(path)
            recorder = Recorder(path)
            reader = threading.Thread(target=recorder.read, args=(inbox,), daemon=True)
            reader.start()
            try:
                yield recorder
            finally:
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as last:
                    last.sendto(_LAST, path)
                reader.join(10)
