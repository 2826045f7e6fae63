"""What a request may cost before anything of it is parsed: its body, the time it takes to arrive, the time it runs."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from uuid import uuid4

from jobplane.server.headers import completed
from jobplane.server.problems import OWN, problem

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_BYTES: Final = 1024 * 1024
BULK_BYTES: Final = 8 * BODY_BYTES
BODY_SECONDS: Final = 10.0
REQUEST_SECONDS: Final = 10.0
_BULK: Final = "/api/v1/jobs/bulk"
_REQUEST_ID: Final = re.compile(rb"[A-Za-z0-9._:-]{1,128}")


class Refused(Exception):
    """The request is not taken; the argument is a code of `OWN`."""


class Limits:
    """Names each request, reads its body whole within bounds, and gives up on one that takes too long.

    A response that has begun is a stream, and may take its time.
    """

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        scope["request_id"] = request_id = _request_id(headers.get(b"x-request-id"))
        sent = _Sent(send, request_id, is_https=scope["scheme"] == "https")
        try:
            body = await _read(scope, headers, receive)
            await _run(self._app(scope, _Replay(body, receive), sent), sent)
        except Refused as error:
            code = str(error)
            status, detail = OWN[code]
            answer = problem(scope, status, code, detail)
            answer.headers["Connection"] = "close"  # what is left of the body is not read
            await answer(scope, receive, sent)


def _request_id(given: bytes | None) -> str:
    """That of the caller where it can be logged as it is, else a new one."""
    return given.decode() if given and _REQUEST_ID.fullmatch(given) else uuid4().hex


async def _read(scope: Scope, headers: dict[bytes, bytes], receive: Receive) -> bytes:
    most = BULK_BYTES if scope["path"].endswith(_BULK) else BODY_BYTES
    length = headers.get(b"content-length", b"0")
    if not length.isdigit() or int(length) > most:
        raise Refused("body_too_large")
    if headers.get(b"content-encoding", b"identity") != b"identity":
        raise Refused("unsupported_media_type")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _collect(receive, most)
    except TimeoutError:
        raise Refused("request_timeout") from None


async def _collect(receive: Receive, most: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused("request_timeout")
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            raise Refused("body_too_large")
        parts.append(part)
        if not message.get("more_body", False):
            return b"".join(parts)


async def _run(app: Awaitable[None], sent: _Sent) -> None:
    task = asyncio.ensure_future(app)
    try:
        await asyncio.wait({task, sent.begun}, timeout=REQUEST_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not task.done() and not sent.begun.done():
            task.cancel()
            await asyncio.wait({task})
            raise Refused("server_busy")
        await task
    finally:
        sent.begun.cancel()
        task.cancel()


class _Replay:
    """The body that was read, then whatever the connection says next: a disconnect."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


class _Sent:
    """Sends, and knows when the response has begun. Every response carries the request id and the safe headers."""

    def __init__(self, send: Send, request_id: str, *, is_https: bool) -> None:
        self._send = send
        self._header = (b"x-request-id", request_id.encode())
        self._is_https = is_https
        self.begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = completed(message.get("headers", ()), self._header, is_https=self._is_https)
            if not self.begun.done():
                self.begun.set_result(None)
        await self._send(message)
