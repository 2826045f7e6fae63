"""Who presents an API key: asked of the store, and remembered for five seconds."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from jobplane.control.access import Caller, Role
from jobplane.core.actors import Actor
from jobplane.core.errors import Unauthenticated
from jobplane.core.keys import PlainKey, parse
from jobplane.core.model import Authenticated
from jobplane.store.base import Store
from jobplane.store.verbs.api_keys import Authenticate

REMEMBERED_SECONDS: Final = 5.0  # a revoked key is refused after this time everywhere
MOST: Final = 10_000  # keys that one process remembers


@dataclass(frozen=True, slots=True)
class _Remembered:
    digest: bytes
    found: Authenticated
    until: float


class Authentication:
    """Turns presented keys into callers. One for each process: it remembers valid keys for five seconds."""

    def __init__(self, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._remembered: dict[str, _Remembered] = {}

    async def caller(self, presented: str, address: str | None = None, request_id: str | None = None) -> Caller:
        """The caller that a key stands for; raises Unauthenticated, with the same message whatever is wrong."""
        plain = parse(presented)
        found = None if plain is None else await self._found(plain)
        if found is None:
            raise Unauthenticated("The API key is not valid. Check it for typing errors, or create a new one.")
        actor = Actor("key", found.key_id, found.name, address, request_id)
        return Caller(actor, Role(found.role), found.tenant_id, found.owner_user_id)

    async def _found(self, plain: PlainKey) -> Authenticated | None:
        asked_at, digest = self._clock(), plain.digest
        known = self._remembered.get(plain.key_id)
        if known is not None and asked_at < known.until and compare_digest(known.digest, digest):
            return known.found
        found = await self._store.run(Authenticate(plain.key_id, digest))
        if found is not None:
            self._remember(_Remembered(digest, found, asked_at + REMEMBERED_SECONDS))
        return found

    def _remember(self, key: _Remembered) -> None:
        """As the newest; the oldest goes when there are too many."""
        self._remembered.pop(key.found.key_id, None)
        self._remembered[key.found.key_id] = key
        if len(self._remembered) > MOST:
            del self._remembered[next(iter(self._remembered))]
