"""Name the definition or the queue that a caller may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from jobplane.core.errors import DefinitionNotFound, JobplaneError, QueueNotFound, UnknownDefinition, UnknownQueue
from jobplane.core.paging import MOST
from jobplane.core.spelling import nearest
from jobplane.store.base import Store
from jobplane.store.verbs.operator import ListDefinitions, ListQueues

_MOST_NAMES: Final = 20  # to look one up among a thousand takes up to 50 ms


class Spelling:
    """Reads the names that a store has once, and remembers what it found: a batch is often refused for one name."""

    def __init__(self, store: Store, keys: Iterable[str] = ()) -> None:
        """`keys` are definitions beside the stored ones."""
        self._store = store
        self._keys = keys
        self._stored: dict[str, list[str]] = {}
        self._found: dict[tuple[str, str], str | None] = {}

    async def explain(self, error: JobplaneError, name: object) -> JobplaneError:
        """The error, or one that also names the nearest definition or queue."""
        match error:
            case UnknownDefinition() | DefinitionNotFound():
                noun = "definition"
            case UnknownQueue() | QueueNotFound():
                noun = "queue"
            case _:
                return error
        found = await self._nearest(noun, name) if isinstance(name, str) else None
        if found is None:
            return error
        return type(error)(f'There is no {noun} "{name!s:.200}". Did you mean "{found}"?', **error.facts)

    async def _nearest(self, noun: str, name: str) -> str | None:
        asked = noun, name
        if asked not in self._found and len(self._found) < _MOST_NAMES:
            self._found[asked] = nearest(name, await self._names(noun))
        return self._found.get(asked)

    async def _names(self, noun: str) -> list[str]:
        if noun not in self._stored:
            is_queue = noun == "queue"
            stored = await (_queues(self._store) if is_queue else _definitions(self._store))
            self._stored[noun] = stored if is_queue else [*self._keys, *stored]
        return self._stored[noun]


async def _definitions(store: Store) -> list[str]:
    try:
        return [each.key for each in (await store.run(ListDefinitions(limit=MOST))).items]
    except JobplaneError:  # the caller learns of the error that is already there
        return []


async def _queues(store: Store) -> list[str]:
    try:
        return [each.name for each in (await store.run(ListQueues(limit=MOST))).items]
    except JobplaneError:
        return []
