"""The slugs of tenants, for the lines of the worker's log."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from jobplane.core.errors import JobplaneError
from jobplane.store.verbs.operator import GetSlugs
from jobplane.store.worker import WorkerStore

KEPT_SECONDS: Final = 600.0  # a slug can change
PAUSE_SECONDS: Final = 10.0  # after a call that failed
MOST: Final = 10_000


class Slugs:
    """Each slug is read once in ten minutes. A log line never waits for a database that does not answer."""

    def __init__(self) -> None:
        self._known: dict[str, str | None] = {}
        self._forget_at = 0.0
        self._ask_from = 0.0

    def get(self, tenant_id: str) -> str | None:
        """None where it is not known yet."""
        return self._known.get(tenant_id)

    async def learn(self, store: WorkerStore, tenant_ids: Iterable[str]) -> None:
        """Read the slugs that are not known yet; if the call fails, they stay unknown."""
        now = time.monotonic()
        if now >= self._forget_at or len(self._known) > MOST:
            self._known, self._forget_at = {}, now + KEPT_SECONDS
        unknown = {text: found for text in tenant_ids if text not in self._known and (found := _parse(text))}
        if not unknown or now < self._ask_from:
            return
        try:
            slugs = await store.run(GetSlugs(list(unknown.values())))
        except (JobplaneError, OSError):
            self._ask_from = time.monotonic() + PAUSE_SECONDS
        else:
            self._known.update((text, slugs.get(tenant_id)) for text, tenant_id in unknown.items())


def _parse(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:  # another program wrote the row
        return None
