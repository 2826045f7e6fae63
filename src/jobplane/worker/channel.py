"""One end of the socket pair: frames in and out, without waiting."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Final

from jobplane.worker.frames import FrameReader, Kind

CHUNK: Final = 1 << 18


class Channel:
    """Reads on the event loop. Not an asyncio transport: `drain` must read at once what a dead process has sent."""

    def __init__(
        self, sock: socket.socket, hear: Callable[[Kind, bytes], None], lost: Callable[[str | None], None]
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket = sock
        self._hear = hear
        self._lost = lost
        self._reader = FrameReader()
        self._unsent = bytearray()
        self._is_open = True
        sock.setblocking(False)
        self._loop.add_reader(sock, self._read)

    def send(self, data: bytes) -> None:
        """Send now, or when the other side reads. Does nothing if the channel is closed."""
        if not self._is_open:
            return
        if self._unsent:
            self._unsent += data
            return
        sent = self._try_send(data)
        if sent < len(data):
            self._unsent += data[sent:]
            self._loop.add_writer(self._socket, self._write)

    def drain(self) -> None:
        """Read all that has arrived, after the process died: a child of it may still hold the other end."""
        while self._is_open and self._read():
            pass

    def close(self) -> None:
        """Close the socket."""
        if self._is_open:
            self._is_open = False
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.close()

    def _read(self) -> bool:
        """Read once. Returns whether there was data."""
        try:
            data = self._socket.recv(CHUNK)
        except (BlockingIOError, InterruptedError):
            return False
        except OSError:
            data = b""
        fault = self._understand(data) if data else None
        if fault is not None or not data:
            self.close()
            self._lost(fault)
        return bool(data)

    def _understand(self, data: bytes) -> str | None:
        """Describe what is wrong with the data. A handler may have written it to a descriptor that it did not open."""
        try:
            for kind, body in self._reader.feed(data):
                self._hear(kind, body)
        except Exception as error:  # noqa: BLE001 garbage may raise anything, and must end its sender alone
            return f"it sent data that is no message of the protocol ({type(error).__name__}: {error})"
        return None

    def _write(self) -> None:
        sent = self._try_send(self._unsent)
        del self._unsent[:sent]
        if not self._unsent and self._is_open:
            self._loop.remove_writer(self._socket)

    def _try_send(self, data: bytes | bytearray) -> int:
        try:
            return self._socket.send(data)
        except (BlockingIOError, InterruptedError):
            return 0
        except OSError:
            return len(data)  # it is gone: its death is noticed elsewhere
