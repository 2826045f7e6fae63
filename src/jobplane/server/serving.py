"""A server as a process of its own."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from collections.abc import Generator
from contextlib import AsyncExitStack, contextmanager, suppress
from typing import Final, Protocol

import uvicorn

from jobplane import __version__, opening
from jobplane.config import Config, InvalidConfig
from jobplane.control.plane import OperatorPlane
from jobplane.core.errors import JobplaneError, UnsafeRole
from jobplane.core.wording import reason_of
from jobplane.process import serving
from jobplane.process.database import show_url
from jobplane.process.events import EventLog
from jobplane.process.sockets import listen, shown_url
from jobplane.process.starting import call_patiently
from jobplane.server.app import make_app
from jobplane.server.protocol import BoundedProtocol
from jobplane.store.base import Store

DEFAULT_ADDRESS: Final = "127.0.0.1:8580"
CONNECTIONS: Final = 2000
_CHAIN_SECONDS: Final = 2.0
_KEEP_ALIVE_SECONDS: Final = 75


class _OpenStore(Store, Protocol):
    async def close(self) -> None: ...


def serve(config: Config, *, descriptor: int | None = None, stopped: threading.Event | None = None) -> None:
    """Run until a signal says stop. Raises what keeps the server from running."""
    serving.serve(lambda: Server(config, descriptor), stopped)


class _Uvicorn(uvicorn.Server):
    """Without handlers for signals: the process has its own."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


class Server:
    """The REST API on one address, with a pool of connections for each login."""

    def __init__(self, config: Config, descriptor: int | None = None) -> None:
        self._config = config
        self._descriptor = descriptor  # of a socket that listens already
        self._events = EventLog(logging.getLogger("jobplane.server"))
        self._stack = AsyncExitStack()
        self._uvicorn: _Uvicorn | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()

    async def start(self) -> None:
        _refuse_one_role(self._config)
        socket_ = self._socket()
        self._stack.callback(socket_.close)
        socket_.setblocking(False)
        store = await call_patiently(self._open, self._events, "app", file=_file(self._config))
        app = make_app(self._config, store, self._stopping)
        settings = uvicorn.Config(
            app,
            http=BoundedProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            limit_concurrency=CONNECTIONS,
            timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=max(1, round(self._config.grace_seconds)),
            proxy_headers=bool(self._config.server_trusted_proxies),
            forwarded_allow_ips=list(self._config.server_trusted_proxies),
        )
        logging.getLogger("uvicorn.error").setLevel(logging.WARNING)  # the start and the stop are events of ours
        self._uvicorn = _Uvicorn(settings)
        self._tasks = [
            asyncio.create_task(self._uvicorn.serve([socket_])),
            asyncio.create_task(self._chain(store)),
        ]
        self._events.log_event(
            "server_started",
            address=shown_url(socket_),
            database=show_url(self._config.url("app")),
            version=__version__,
        )

    def _socket(self) -> socket.socket:
        """That of whoever started this process, which stays open while this one is restarted; else one of its own."""
        if self._descriptor is not None:
            return _inherited(self._descriptor)
        return listen(self._config.server_http or DEFAULT_ADDRESS, "server_http")

    async def _open(self) -> _OpenStore:
        """The store. A login that may not be used is an error at the start."""
        store = await opening.open_served(self._config)
        self._stack.push_async_callback(store.close)
        return store

    async def _chain(self, store: Store) -> None:
        """Chain the audit log within seconds. An outage only delays it."""
        audit = OperatorPlane(store).audit
        while not self._stopping.is_set():
            with suppress(JobplaneError):
                await audit.chain()
            with suppress(TimeoutError):
                async with asyncio.timeout(_CHAIN_SECONDS):
                    await self._stopping.wait()

    async def watch(self) -> None:
        await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in self._tasks:
            if task.done():
                task.result()

    async def stop(self, hurry: asyncio.Event) -> None:
        """Finish the requests that run, within the grace time; streams end at once."""
        self._events.log_event("server_stopping")
        self._stopping.set()
        if self._uvicorn is not None:
            self._uvicorn.should_exit = True
            self._uvicorn.force_exit = hurry.is_set()
            await asyncio.wait(self._tasks, timeout=self._config.grace_seconds + 5)
        await self._stack.aclose()
        self._events.log_event("server_stopped")

    async def abandon(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._stack.aclose()


def _inherited(descriptor: int) -> socket.socket:
    try:
        return socket.socket(fileno=descriptor)
    except (OSError, ValueError, OverflowError) as error:
        message = f"Descriptor {descriptor} is not a socket: {reason_of(error)}. Pass one that listens as --listen-fd."
        raise InvalidConfig(message, setting="listen_fd") from None


def _refuse_one_role(config: Config) -> None:
    """Raise UnsafeRole where one role owns and does everything: the database would not keep tenants apart."""
    if config.trust == "single" and _file(config) is None:
        raise UnsafeRole(
            "A server does not run with trust = 'single': the database would not keep tenants apart. "
            "Set up a database with roles: `jobplane migrate roles`, then `jobplane migrate up`."
        )


def _file(config: Config) -> str | None:
    return config.database_url if config.database_url.startswith("sqlite:") else None
