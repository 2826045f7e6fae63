"""The slugs of tenants, for the lines of the worker's log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Final
from uuid import UUID

from jobplane.core.errors import JobplaneError
from jobplane.store.verbs.operator import GetSlugs
from jobplane.store.worker import WorkerStore
from jobplane.worker.frames import MOST_SLUGS

KEPT_SECONDS: Final = 600.0  # a slug can change
PAUSE_SECONDS: Final = 10.0  # after a call that failed


class Slugs:
    """Each slug is read once in ten minutes. A log line never waits for a database that does not answer.

    `on_learned` is called with slugs that were just read.
    """

    def __init__(self) -> None:
        self.on_learned: Callable[[Mapping[str, str]], None] | None = None
        self._known: dict[str, str | None] = {}
        self._forget_at = 0.0
        self._ask_from = 0.0

    def get(self, tenant_id: str) -> str | None:
        """None if the slug is not known yet."""
        return self._known.get(tenant_id)

    @property
    def known(self) -> dict[str, str]:
        """The slugs that are known now, by tenant id."""
        return {tenant_id: slug for tenant_id, slug in self._known.items() if slug is not None}

    async def learn(self, store: WorkerStore, tenant_ids: Iterable[str]) -> None:
        """Read the slugs that are not known yet; if the call fails, they stay unknown."""
        now = time.monotonic()
        if now >= self._forget_at or len(self._known) > MOST_SLUGS:
            self._known, self._forget_at = {}, now + KEPT_SECONDS
        unknown = {text: found for text in tenant_ids if text not in self._known and (found := _parse(text))}
        if not unknown or now < self._ask_from:
            return
        try:
            slugs = await store.run(GetSlugs(list(unknown.values())))
        except (JobplaneError, OSError):
            self._ask_from = time.monotonic() + PAUSE_SECONDS
        else:
            found = {text: slugs.get(tenant_id) for text, tenant_id in unknown.items()}
            self._known.update(found)
            if self.on_learned is not None:
                self.on_learned({text: slug for text, slug in found.items() if slug is not None})


def _parse(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:  # another program wrote the row
        return None
