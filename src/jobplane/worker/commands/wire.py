"""The keeper's end of its socket to the supervisor: frames in and out."""

from __future__ import annotations

import json
import select
import socket
from collections import deque
from typing import Final, cast

from jobplane.worker.commands.protocol import Order
from jobplane.worker.frames import FrameReader, Kind

_CHUNK: Final = 1 << 16


class Wire:
    """Sends without waiting: what the socket does not take is kept until it does.

    `is_open`: the supervisor is there.
    """

    def __init__(self, sock: socket.socket) -> None:
        self.is_open = True
        self._socket = sock
        self._reader = FrameReader()
        self._heard: deque[tuple[Kind, bytes]] = deque()
        self._unsent = bytearray()

    def fileno(self) -> int:
        return self._socket.fileno()

    @property
    def events(self) -> int:
        """The events to poll for."""
        return select.POLLIN | (select.POLLOUT if self._unsent else 0)

    def receive_order(self) -> Order | None:
        """Wait for the first frame. None: the supervisor has gone."""
        self._socket.setblocking(True)
        while self.is_open and not self._heard:
            self._read()
        self._socket.setblocking(False)
        if not self._heard:
            return None
        _, body = self._heard.popleft()
        return cast("Order", json.loads(body))

    def receive(self) -> list[tuple[Kind, bytes]]:
        """The frames that have come; sends what waits."""
        while self.is_open and self._read():
            pass
        self._flush()
        heard = list(self._heard)
        self._heard.clear()
        return heard

    def send(self, data: bytes) -> None:
        self._unsent += data
        self._flush()

    def finish(self) -> None:
        """Wait until everything is sent, or the supervisor has gone."""
        self._socket.setblocking(True)
        try:
            self._socket.sendall(self._unsent)
        except OSError:
            self.is_open = False

    def _read(self) -> bool:
        try:
            data = self._socket.recv(_CHUNK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            data = b""
        self.is_open = bool(data)
        self._heard.extend(self._reader.feed(data))
        return self.is_open

    def _flush(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: self._socket.send(self._unsent)]
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            self.is_open = False
            self._unsent.clear()
