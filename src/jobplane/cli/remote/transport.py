"""HTTP to an application inside this process: a response is read while it is made, so that a log can be followed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any

import httpx2

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]


class InsideTransport(httpx2.AsyncBaseTransport):
    """Calls an ASGI application. The transport of httpx2 itself ends only when the whole response is there."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = _Exchange(await request.aread())
        exchange.task = asyncio.create_task(exchange.run(self._app, _scope(request)))
        try:
            start = await exchange.start()
        except BaseException:
            await exchange.aclose()
            raise
        return httpx2.Response(start["status"], headers=start["headers"], stream=exchange)


class _Exchange(httpx2.AsyncByteStream):
    """One request and its response. Whoever closes the response ends the request."""

    def __init__(self, body: bytes) -> None:
        self._body: bytes | None = body
        self._gone = asyncio.Event()
        self._sent: asyncio.Queue[Message | None] = asyncio.Queue(maxsize=16)
        self.task: asyncio.Task[None] | None = None

    async def run(self, app: App, scope: Message) -> None:
        try:
            await app(scope, self._receive, self._sent.put)
        finally:
            await self._sent.put(None)

    async def start(self) -> Message:
        message = await self._sent.get()
        if message is None:
            await self._finish()
            raise httpx2.RemoteProtocolError("the application sent no response")
        return message

    async def _receive(self) -> Message:
        if self._body is not None:
            body, self._body = self._body, None
            return {"type": "http.request", "body": body, "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._sent.get()) is not None:
            yield message.get("body", b"")
            if not message.get("more_body", False):
                return
        await self._finish()

    async def _finish(self) -> None:
        """Raise what the application raised."""
        if self.task is not None:
            await self.task

    async def aclose(self) -> None:
        self._gone.set()
        if self.task is not None:
            self.task.cancel()
            with suppress(BaseException):
                await self.task


def _scope(request: httpx2.Request) -> Message:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "server": (request.url.host, request.url.port),
        "client": None,
        "root_path": "",
    }
