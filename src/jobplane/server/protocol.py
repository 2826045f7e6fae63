"""The HTTP protocol of uvicorn with bounds on the head of a request: its size, and the time until it is whole."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from jobplane.server.headers import SAFE, as_text

HEAD_BYTES: Final = 16 * 1024
HEAD_SECONDS: Final = 10.0
_LAST: Final = as_text((*SAFE, (b"content-type", b"application/problem+json"), (b"connection", b"close")))
_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n" + _LAST + b"content-length: 72\r\n\r\n"
    b'{"status":431,"code":"header_too_large","detail":"Shorten the headers."}'
)
_MALFORMED: Final = (
    b"HTTP/1.1 400 Bad Request\r\n" + _LAST + b"content-length: 77\r\n\r\n"
    b'{"status":400,"code":"malformed_request","detail":"The request is not HTTP."}'
)


class BoundedProtocol(HttpToolsProtocol):
    """A client that sends its head slowly, or without end, is cut off: nothing of it has been handled yet."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_bytes = 0
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._head_timer is not None:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_timer is not None and self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self._refuse(_TOO_LARGE)

    def send_400_response(self, msg: str) -> None:
        self._refuse(_MALFORMED)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._head_timer is None:  # the next request of a connection that is kept
            self._await_head()

    def on_headers_complete(self) -> None:
        self._forget_timer()
        if sum(len(name) + len(value) for name, value in self.headers) + len(self.url) > HEAD_BYTES:
            self._refuse(_TOO_LARGE)
            return
        super().on_headers_complete()

    def _refuse(self, answer: bytes) -> None:
        self.transport.write(answer)
        self.transport.close()

    def _await_head(self) -> None:
        self._head_bytes = 0
        self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _forget_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None
