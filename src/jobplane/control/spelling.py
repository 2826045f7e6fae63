"""Name the definition or the queue that a caller may have meant."""

from __future__ import annotations

from collections.abc import Iterable

from jobplane.core.errors import DefinitionNotFound, JobplaneError, QueueNotFound, UnknownDefinition, UnknownQueue
from jobplane.core.paging import MOST
from jobplane.core.spelling import nearest
from jobplane.store.base import Store
from jobplane.store.verbs.operator import ListDefinitions, ListQueues


async def name_nearest(store: Store, error: JobplaneError, name: object, known: Iterable[str] = ()) -> JobplaneError:
    """The error, or one that also names the nearest definition or queue. `known` are names beside the stored ones."""
    match error:
        case UnknownDefinition() | DefinitionNotFound():
            noun, stored = "definition", await _definitions(store)
        case UnknownQueue() | QueueNotFound():
            noun, stored = "queue", await _queues(store)
        case _:
            return error
    found = nearest(name, [*known, *stored])
    if found is None:
        return error
    return type(error)(f'There is no {noun} "{name!s:.200}". Did you mean "{found}"?', **error.facts)


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
