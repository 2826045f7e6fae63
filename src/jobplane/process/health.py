"""Health and readiness over HTTP, on a port of the process's own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import orjson

from jobplane.core.errors import Invalid

Complaints = Callable[[], list[str]]

_SECONDS: Final = 2.0
_LIMIT: Final = 8192


class Health:
    """`/healthz`: the loops turn. `/readyz`: jobs can be run. 200, or 503 with what is wrong."""

    def __init__(self, setting: str, is_healthy: Complaints, is_ready: Complaints) -> None:
        self._setting = setting  # that has the address
        self._pages = {"/healthz": is_healthy, "/readyz": is_ready}
        self._server: asyncio.Server | None = None

    async def start(self, address: tuple[str, int]) -> int:
        """Listen and return the port; raises Invalid if the address cannot be used."""
        host, port = address
        try:
            self._server = await asyncio.start_server(self._answer, host, port, limit=_LIMIT)
        except OSError as error:
            code = error.errno or 0
            reason = os.strerror(code) if code > 0 else error.strerror or str(error)
            message = f"Cannot listen on {host}:{port}: {reason}. Set {self._setting} to another address."
            raise Invalid(message, setting=self._setting) from None
        return self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                writer.write(self._page(*head.split(" ", 2)[:2]))
                await writer.drain()
        writer.close()

    def _page(self, method: str = "", target: str = "") -> bytes:
        complaints = self._pages.get(target.partition("?")[0])
        if complaints is None or method not in ("GET", "HEAD"):
            return _response(404, {"error": "Unknown path. Use /healthz or /readyz."}, method)
        wrong = complaints()
        return _response(503 if wrong else 200, {"status": "failing" if wrong else "ok", "wrong": wrong}, method)


def _response(status: int, body: object, method: str) -> bytes:
    text = orjson.dumps(body) + b"\n"
    words = {200: "OK", 404: "Not Found", 503: "Service Unavailable"}[status]
    head = (
        f"HTTP/1.1 {status} {words}\r\nContent-Type: application/json\r\nContent-Length: {len(text)}\r\n"
        "Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + (b"" if method == "HEAD" else text)
