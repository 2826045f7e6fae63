"""An application spoken to in memory, whose answers are read while they are made."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, MutableMapping
from contextlib import suppress
from typing import Any

import httpx2
from fastapi import FastAPI

Message = MutableMapping[str, Any]


class MemoryTransport(httpx2.AsyncBaseTransport):
    """As a server does: the head of an answer is there before its body, and a client may go away."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = Exchange(self._app, request, await request.aread())
        head = await exchange.head()
        return httpx2.Response(head["status"], headers=head["headers"], stream=exchange)


class Exchange(httpx2.AsyncByteStream):
    """One request and the parts of its answer."""

    def __init__(self, app: FastAPI, request: httpx2.Request, body: bytes) -> None:
        self._body: bytes | None = body
        self._sent: asyncio.Queue[Message | None] = asyncio.Queue(4)  # one that does not read holds the server back
        self._gone = asyncio.Event()
        self._task = asyncio.create_task(self._run(app, _scope(request)))

    async def _run(self, app: FastAPI, scope: Message) -> None:
        with suppress(Exception):  # it has been answered with 500 by then
            await app(scope, self._receive, self._sent.put)
        await self._sent.put(None)

    async def _receive(self) -> Message:
        if self._body is None:
            await self._gone.wait()
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def head(self) -> Message:
        try:
            head = await self._sent.get()
        except asyncio.CancelledError:
            await self.aclose()
            raise
        assert head is not None
        return head

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (message := await self._sent.get()) is not None:
            if message["type"] == "http.response.body":
                yield message.get("body", b"")
                if not message.get("more_body", False):
                    return

    async def aclose(self) -> None:
        """Go away, and wait until the server has noticed."""
        self._gone.set()
        while not self._task.done():
            while not self._sent.empty():
                self._sent.get_nowait()
            await asyncio.wait({self._task}, timeout=0.01)


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
        "client": ("127.0.0.1", 123),
        "root_path": "",
    }
