"""A TCP proxy before PostgreSQL's Unix socket, on whose connections a test can pull."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, TypeVar

T = TypeVar("T")
P = TypeVar("P", bound="Proxy")
_NO_FAREWELL: Final = struct.pack("ii", 1, 0)
Matches = Callable[[bytes], bool]
Way = Literal["ask", "answer"]


@dataclass(eq=False)
class Line:
    """One connection through the proxy; what goes through a frozen one waits, and nobody is told."""

    client: asyncio.StreamWriter
    server: asyncio.StreamWriter
    flows: asyncio.Event = field(default_factory=asyncio.Event)

    def cut(self) -> None:
        """With a reset, which a close does not send when nothing is unread."""
        conn: socket.socket = self.client.get_extra_info("socket")
        if not self.client.transport.is_closing():
            conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_FAREWELL)
        for end in (self.client, self.server):
            end.transport.abort()


@dataclass(frozen=True)
class Delay:
    """What comes too late, and how often."""

    matches: Matches
    seconds: float | None  # None: until it is let go
    is_once: bool


class Proxy:
    """Lives on a loop and thread of its own, so that a test that waits does not stop it."""

    def __init__(self, upstream: Path) -> None:
        self._upstream = upstream
        self._lines: set[Line] = set()
        self._loop = asyncio.new_event_loop()
        self._late: dict[Way, Delay] = {}
        self._let_go = asyncio.Event()
        self._server: asyncio.Server | None = None
        self.delayed = 0
        self.port = 0
        self.is_deaf = False  # new connections are taken and never answered

    def _do(self, work: Awaitable[T]) -> T:
        async def run() -> T:
            return await work

        return asyncio.run_coroutine_threadsafe(run(), self._loop).result(30)

    def freeze(self) -> int:
        """Nothing passes on the connections there are, and no end learns of it; new ones are not touched."""
        return self._do(self._set_flow(flows=False))

    def thaw(self) -> int:
        return self._do(self._set_flow(flows=True))

    async def _set_flow(self, *, flows: bool) -> int:
        for line in self._lines:
            if flows:
                line.flows.set()
            else:
                line.flows.clear()
        return len(self._lines)

    def stop_listening(self) -> None:
        """Refuse new connections from now on."""
        self._do(self._stop_listening())

    async def _stop_listening(self) -> None:
        if self._server is not None:
            self._server.close()

    def cut(self) -> int:
        """Reset all connections."""
        return self._do(self._cut())

    async def _cut(self) -> int:
        lines = tuple(self._lines)
        for line in lines:
            line.cut()
        return len(lines)

    def delay_answer(self, matches: Matches, seconds: float) -> None:
        """Keep back the next answer that matches, and all that follows on its connection."""
        self._late["answer"] = Delay(matches, seconds, is_once=True)

    def hold_answer(self, matches: Matches) -> None:
        """The same until `let_go`."""
        self._late["answer"] = Delay(matches, None, is_once=True)

    def let_go(self) -> None:
        """What is held, and whatever would be late, passes from now on."""
        self._loop.call_soon_threadsafe(self._let_go.set)

    @contextmanager
    def delaying(self, way: Way, matches: Matches, seconds: float) -> Generator[None]:
        """Keep back all that matches until the block ends, each with all that follows on its connection."""
        self._late[way] = Delay(matches, seconds, is_once=False)
        yield
        del self._late[way]

    async def serve(self) -> asyncio.Server:
        self._server = server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            upstream, server = await asyncio.open_unix_connection(str(self._upstream))
        except OSError:
            writer.transport.abort()
            return
        line = Line(writer, server)
        if not self.is_deaf:
            line.flows.set()
        self._lines.add(line)
        try:
            await asyncio.gather(self._ask(line, reader), self._answer(line, upstream))
        finally:
            line.cut()
            self._lines.discard(line)

    async def _ask(self, line: Line, reader: asyncio.StreamReader) -> None:
        with suppress(OSError):
            while data := await reader.read(65536):
                await line.flows.wait()
                await self._keep_back("ask", data)
                line.server.write(data)
                await line.server.drain()
        line.cut()

    async def _answer(self, line: Line, upstream: asyncio.StreamReader) -> None:
        with suppress(OSError):
            while data := await upstream.read(65536):
                await line.flows.wait()
                await self._keep_back("answer", data)
                line.client.write(data)
                await line.client.drain()
        line.cut()

    async def _keep_back(self, way: Way, data: bytes) -> None:
        late = self._late.get(way)
        if late and late.matches(data):
            if late.is_once:
                del self._late[way]
            self.delayed += 1
            with suppress(TimeoutError):
                await asyncio.wait_for(self._let_go.wait(), late.seconds)

    def run(self, started: threading.Event) -> None:
        """The proxy's thread."""
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(self.serve())
        started.set()
        self._loop.run_forever()
        server.close()
        self._loop.run_until_complete(self._end())
        self._loop.close()

    async def _end(self) -> None:
        await self._cut()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)


@contextmanager
def proxied(upstream: Path) -> Generator[Proxy]:
    """A proxy before the server that listens there, until the block ends."""
    with running(Proxy(upstream)) as proxy:
        yield proxy


@contextmanager
def running(proxy: P) -> Generator[P]:
    """One of any kind."""
    started = threading.Event()
    thread = threading.Thread(target=proxy.run, args=(started,), daemon=True)
    thread.start()
    assert started.wait(10)
    try:
        yield proxy
    finally:
        proxy.stop()
        thread.join(10)
