"""The part of a Jobplane that runs jobs: definitions with their handlers, hooks, and stores."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final
from weakref import WeakSet

from jobplane.api.calls import AWAITED, BLOCKING, Calls
from jobplane.api.options import Tenant
from jobplane.api.program import Program
from jobplane.api.stores import Driver, Stores
from jobplane.core.errors import DefinitionNotFound
from jobplane.core.spelling import suggest
from jobplane.execution.artifacts import Artifacts
from jobplane.execution.definition import CodeDefinition
from jobplane.execution.handler import Handler
from jobplane.execution.hooks import Hooks
from jobplane.execution.secret_sources import SecretSource
from jobplane.store.base import BlockingStore, Store

# A process that runs handlers finds them here: modules are named on its command line, and may hold a Jobplane anywhere.
planes: Final[WeakSet[Plane]] = WeakSet()


class Plane:
    """A program's definitions on one database, without its calls."""

    def __init__(
        self,
        url: str | None = None,
        *,
        tenant: Tenant = "default",
        sqlite: Driver = "apsw",
        app: str = "",
        version: str = "",
        store: BlockingStore | None = None,
        async_store: Store | None = None,
    ) -> None:
        self.app = app
        self.version = version
        self._program = Program(Stores(url, sqlite, store, async_store), tenant, self, app, version)
        self.blocking_calls = Calls(self._program, BLOCKING)
        self.awaited_calls = Calls(self._program, AWAITED)
        self.hooks = Hooks()
        planes.add(self)

    @property
    def _stores(self) -> Stores:
        return self._program.stores

    def close(self) -> None:
        """Give the connections of the blocking verbs back; the next use opens them again."""
        self._stores.close()
        self._program.forget()

    async def aclose(self) -> None:
        """Give the connections of this event loop back; the next use opens them again."""
        await self._stores.aclose()
        self._program.forget()

    @contextmanager
    def move_to(self, stores: Stores) -> Generator[None]:
        """On other stores until the block ends: how a test takes a program's own Jobplane to a database of its own."""
        program = self._program
        own, program.stores = program.stores, stores
        program.forget()
        try:
            yield
        finally:
            program.stores = own
            program.forget()

    @property
    def needs_loop(self) -> bool:
        """Whether a handler or a hook is an `async def`."""
        return self.hooks.needs_loop or any(self.definition(key).is_async for key in self.keys)

    @property
    def url(self) -> str | None:
        """The URL that it was given; None: that of the configuration."""
        return self._stores.url

    @property
    def artifacts(self) -> Artifacts | None:
        """Where results go that are too large for a store."""
        directory = self._stores.artifacts_dir
        return None if directory is None else Artifacts(directory)

    @property
    def secret_source(self) -> SecretSource:
        """The source of secrets for handlers that run in this process."""
        return self._stores.secret_source

    def handler(self, key: str) -> Handler:
        """A definition of this program inside its middlewares; raises DefinitionNotFound."""
        return Handler(self.definition(key), self, self.hooks)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of this program's definitions."""
        return self._program.registry.keys

    def definition(self, key: str) -> CodeDefinition:
        """A definition of this program; raises DefinitionNotFound."""
        found = self._program.registry.get(key)
        if found is None:
            hint = suggest(key, self.keys, "Check the spelling.")
            raise DefinitionNotFound(f'This program has no definition "{key}". {hint}', key=key)
        return found
