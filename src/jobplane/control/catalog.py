"""Definitions as an enqueue needs them: whether they may be asked for, and the judge of their payloads."""

from __future__ import annotations

import time
from typing import Final

from jobplane.core.bounds import show
from jobplane.core.errors import Forbidden, UnknownDefinition
from jobplane.core.judging import payload_judge
from jobplane.core.model import Definition, Document
from jobplane.store.base import Store
from jobplane.store.verbs.operator import ListDefinitions

_SECONDS: Final = 5.0
_MOST: Final = 10_000


class Catalog:
    """Remembers a definition for five seconds. With `builtin_only` nothing but built-in definitions may be enqueued."""

    def __init__(self, store: Store, *, builtin_only: bool = False) -> None:
        self._store = store
        self._builtin_only = builtin_only
        self._known: dict[str, tuple[float, Definition]] = {}

    async def judge(self, key: str, payload: Document) -> Definition:
        """The definition; raises UnknownDefinition, Forbidden, or InvalidPayload with a pointer for each fault."""
        found = await self._find(key)
        if self._builtin_only and found.origin != "builtin":
            message = f"Definition {show(key, 200)} is not built in, and the setting jobs_builtin_only allows no other."
            raise Forbidden(message, definition=key)
        payload_judge(found).check(payload)
        return found

    async def check(self, key: str, payload: Document) -> None:
        """Judge a payload that was accepted before; raises UnknownDefinition, or InvalidPayload."""
        payload_judge(await self._find(key)).check(payload)

    async def _find(self, key: str) -> Definition:
        until, known = self._known.get(key, (0.0, None))
        if known is not None and time.monotonic() < until:
            return known
        for found in (await self._store.run(ListDefinitions([key]))).items:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = (time.monotonic() + _SECONDS, found)
            return found
        message = f"There is no definition {show(key, 200)}. Check the spelling, or create it first."
        raise UnknownDefinition(message, definition=key)
