"""The manager's queues and job types, made in the store at their first use."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from jobplane.api.manager.names import is_named
from jobplane.control.paging import walk
from jobplane.core.errors import Forbidden
from jobplane.core.judging import PayloadJudge, payload_judge
from jobplane.core.model import Document
from jobplane.store.base import Store
from jobplane.store.verbs.engine import PutDefinitions, PutQueues
from jobplane.store.verbs.operator import ListDefinitions

_PAGE: Final = 1000
# Open to any payload. Nobody but the worker's own loop could keep a timeout, so there is none.
_MANAGED: Final[Document] = {
    "kind": "python",
    "origin": "manager",
    "arg_schema": {"type": "object"},
    "timeout_seconds": None,
    "max_attempts": 4,
    "priority": 5,
}


@contextmanager
def _explain_errors(what: str) -> Generator[None]:
    try:
        yield
    except Forbidden as error:
        message = (
            f"{what} does not exist, and this login may not create it. Set database_url_worker, or create it first."
        )
        raise Forbidden(message) from error


class ManagerRegistry:
    """Remembers which job types are there, so that only the first use asks; writes only what is not there."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys: set[str] = set()
        self._lanes: set[str] = set()

    async def open(self, lane: str) -> None:
        """Make the queue."""
        with _explain_errors(f'The queue "{lane}"'):
            await self._store.run(PutQueues([lane]))
        self._lanes.add(lane)

    async def register(self, key: str, lane: str) -> PayloadJudge | None:
        """Make the definition, if it is not there yet. One that a manager did not make stays as it is, and judges."""
        if key in self._keys:
            return None
        found = (await self._store.run(ListDefinitions([key]))).items
        if lane not in self._lanes and (not found or found[0].queue != lane):
            await self.open(lane)
        if found and found[0].origin != _MANAGED["origin"]:
            return payload_judge(found[0])
        if not found:
            with _explain_errors(f'The definition "{key}"'):
                await self._store.run(PutDefinitions([{**_MANAGED, "key": key, "queue": lane}]))
        self._keys.add(key)
        return None

    async def keys(self, domain: str | None, queue: str | None, job_type: str | None) -> list[str]:
        """The job types of managers with these names; None is any."""
        pages = walk(lambda cursor: self._store.run(ListDefinitions(None, _PAGE, cursor or "", include_system=True)))
        ours = [d.key async for d in pages if d.origin == "manager" and "key" not in d.undecodable]
        return [key for key in ours if is_named(key, domain, queue, job_type)]
