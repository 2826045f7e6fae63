"""Definitions: what may run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from jobplane.control.paging import walk
from jobplane.core.errors import DefinitionNotFound
from jobplane.core.model import Definition, Document
from jobplane.core.paging import MOST, Page
from jobplane.store.base import Store
from jobplane.store.verbs.engine import PutDefinitions
from jobplane.store.verbs.operator import ListDefinitions


class Definitions:
    """The definitions of an installation."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def put(self, documents: Sequence[Document]) -> list[Definition]:
        """Make or change definitions; a value that a document does not name stays."""
        keys = await self._store.run(PutDefinitions(documents))
        return (await self._store.run(ListDefinitions(keys, MOST))).items if keys else []

    async def get(self, key: str) -> Definition:
        """One definition; raises DefinitionNotFound."""
        for found in (await self._store.run(ListDefinitions([key]))).items:
            return found
        raise DefinitionNotFound(f"There is no definition {key!r:.250}.", key=key)

    async def list(self, *, limit: int = 100, after: str = "") -> Page[Definition, str]:
        """A page of definitions in the order of their keys."""
        return await self._store.run(ListDefinitions(None, limit, after))

    def walk(self) -> AsyncIterator[Definition]:
        """All of them, a page at a time."""
        return walk(lambda cursor: self.list(after=cursor or ""))
