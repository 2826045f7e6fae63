"""The stores of one Jobplane: none before the first use, one for blocking calls, one for each event loop."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol
from weakref import WeakKeyDictionary

from jobplane.api.threaded import InThread
from jobplane.control.immediate import Immediate
from jobplane.core.defaults import STANDARD, Defaults
from jobplane.core.errors import Invalid
from jobplane.execution.running import leave_call
from jobplane.execution.secret_sources import PolicySecrets, SecretSource
from jobplane.store.base import BlockingStore, Driver, Store

if TYPE_CHECKING:
    from jobplane.config import Config


class Closes(BlockingStore, Protocol):
    def close(self) -> None: ...


class ClosesAsync(Store, Protocol):
    async def close(self) -> None: ...

    def abandon(self) -> None:
        """Close it after its event loop was closed."""


class Stores:
    """Opens by URL; a store that was given is used as it is, and left open.

    A process that runs handlers for a worker is frugal: it has one connection to a database, for all its Jobplanes and
    event loops, and that only while it is used. A file has no connections to be sparing with.

    Where it was made is where its files are: a process that has gone elsewhere meanwhile finds the same database.
    """

    is_frugal: ClassVar[bool] = False

    def __init__(self, url: str | None, sqlite: Driver, store: BlockingStore | None, async_store: Store | None) -> None:
        self.url = url
        self._directory = here()
        self._sqlite: Driver = sqlite
        self._given = store
        self._given_async = async_store
        self._forget()

    def _forget(self) -> None:
        self._pid = os.getpid()
        self._opening = threading.Lock()
        self._sharing = threading.Lock()
        self._shared: tuple[str, object] | None = None
        self._blocking: Closes | None = None
        self._immediate: Immediate | None = None
        self._by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Task[ClosesAsync]] = WeakKeyDictionary()

    @cached_property
    def _config(self) -> Config | None:
        """Read at the first use; None where a store was given."""
        if self._given is not None or self._given_async is not None:
            return None
        from jobplane import config

        settings = config.load({"database_url": self.url}, directory=self._directory)
        return settings.base_on("app").locate(self._directory)

    @property
    def artifacts_dir(self) -> Path | None:
        return None if self._config is None else self._config.artifacts_dir

    @cached_property
    def secret_source(self) -> SecretSource:
        """The source of secrets for handlers that run in this process: the policy of the settings."""
        return PolicySecrets(None if self._config is None else self._config.worker_policy)

    @property
    def defaults(self) -> Defaults:
        """The values of new definitions and tenants; those of the settings, unless a store was given."""
        return STANDARD if self._config is None else self._config.defaults

    @property
    def has_one_owner(self) -> bool:
        """Whether definitions reach the database by themselves."""
        from jobplane import opening

        return self._config is not None and opening.has_one_owner(self._config)

    @property
    def has_one_writer(self) -> bool:
        """Whether an open transaction of the application keeps everybody else from writing."""
        return self._config is not None and self._config.database_url.startswith("sqlite:")

    async def get_immediate(self) -> Store:
        """The blocking store for calls that are written as coroutines."""
        if self._immediate is None or self._pid != os.getpid():
            store = self.get_blocking()
            self._immediate = Immediate(store, leave_call)
        return self._immediate

    def get_blocking(self) -> BlockingStore:
        self._after_fork()
        store = self._given or self._blocking
        if store is not None:
            return store
        with self._opening:
            if self._blocking is None:
                self._blocking = self._open() if not self.is_frugal or self.has_one_writer else self._shared_open()
            return self._blocking

    async def get_running(self) -> Store:
        """The store of this event loop."""
        self._after_fork()
        if self._given_async is not None:
            return self._given_async
        loop = asyncio.get_running_loop()
        is_new = loop not in self._by_loop
        if is_new:
            self._by_loop[loop] = loop.create_task(self._connect())
        try:
            store = await asyncio.shield(self._by_loop[loop])
        except BaseException:
            self._drop_failed(loop)
            raise
        if is_new:  # now: an embedded server that only they hold would stop before
            await self._abandon_closed_aside()
        return InThread(self.get_blocking, store) if self.is_frugal else store

    def _open(self) -> Closes:
        from jobplane import opening

        return opening.open_blocking(self._settings(), self._sqlite, frugal=self.is_frugal)

    def _shared_open(self) -> Closes:
        """The one store of this process for that server, which stays open: it closes its connection when it is idle.

        Without a lock, which a fork might inherit: of two that are opened at once the first is kept.
        """
        which = os.getpid(), self._place(), self._sqlite
        return _FRUGAL.get(which) or _FRUGAL.setdefault(which, self._open())

    async def _connect(self) -> ClosesAsync:
        from jobplane import opening

        return await opening.open_async(self._settings(), self._sqlite)

    def _settings(self) -> Config:
        """With the URL that all stores share."""
        from jobplane import config

        url = self._place()
        settings = self._config or config.load({"database_url": url}, directory=self._directory)
        return settings if url is None else settings.model_copy(update={"database_url": url})

    def _place(self) -> str | None:
        """The URL for each store; `:memory:` gets its file with the first of them, and the others find it there."""
        from jobplane import opening

        with self._sharing:
            if self._shared is None and self._config is not None:
                self._shared = opening.shared_url(self._config)
            return self.url if self._shared is None else self._shared[0]

    def address(self) -> str | None:
        """The URL by which another process finds the same database; raises Invalid where there is none."""
        if self._config is None:
            raise Invalid("Another process cannot use a store object. Name the database by its URL.")
        return self._place()

    def _leave(self) -> None:
        """With the last store goes what they shared, and the configuration is read again."""
        loops = [ref() for ref in self._by_loop.keyrefs()]
        if self._blocking is None and all(loop is None or loop.is_closed() for loop in loops):
            self._shared = None
        self.__dict__.pop("_config", None)

    def _abandon_closed(self) -> None:
        _abandon(self._pop_closed())

    async def _abandon_closed_aside(self) -> None:
        if closed := self._pop_closed():
            await asyncio.to_thread(_abandon, closed)

    def _pop_closed(self) -> list[ClosesAsync]:
        """The stores of event loops that were closed: a program need not close its own before that.

        They would stay for good: the task holds the loop that is its key.
        """
        loops = [loop for ref in self._by_loop.keyrefs() if (loop := ref()) is not None and loop.is_closed()]
        tasks = [self._by_loop.pop(loop, None) for loop in loops]
        return [task.result() for task in tasks if task is not None and _is_open(task)]

    def _drop_failed(self, loop: asyncio.AbstractEventLoop) -> None:
        opening = self._by_loop.get(loop)
        if opening is not None and opening.done() and (opening.cancelled() or opening.exception()):
            del self._by_loop[loop]

    def close(self) -> None:
        """Close the blocking store; the next use opens it again. Also the stores of event loops that were closed."""
        self._after_fork()
        self._abandon_closed()
        with self._opening:
            store, self._blocking, self._immediate = self._blocking, None, None
        if store is not None and store not in _FRUGAL.values():
            store.close()
        self._leave()

    @staticmethod
    def close_shared() -> None:
        """Close what a process that runs handlers has shared, when it ends."""
        for which in [which for which in _FRUGAL if which[0] == os.getpid()]:
            _FRUGAL.pop(which).close()

    async def aclose(self) -> None:
        """Close the store of this event loop."""
        self._after_fork()
        opening = self._by_loop.pop(asyncio.get_running_loop(), None)
        if opening is not None:
            await (await opening).close()
        await self._abandon_closed_aside()
        self._leave()

    def _after_fork(self) -> None:
        """A connection belongs to the process that opened it; a child opens its own and never touches its parent's."""
        if self._pid != os.getpid():
            _LEFT_BEHIND.append((self._blocking, self._by_loop, self._shared))
            self._forget()


_FRUGAL: dict[tuple[int, str | None, Driver], Closes] = {}
_LEFT_BEHIND: list[object] = []  # kept, because to close them would end the parent's sessions


def _is_open(opening: asyncio.Task[ClosesAsync]) -> bool:
    return opening.done() and not opening.cancelled() and opening.exception() is None


def _abandon(stores: Sequence[ClosesAsync]) -> None:
    for store in stores:
        store.abandon()


def here() -> Path:
    """The working directory; one that was removed is no place, and who needs no path from it does without."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path()
