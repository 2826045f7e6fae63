"""The upkeep that comes with an acquire: what keeps jobs moving, without the vacuum, which needs another role."""

from __future__ import annotations

from jobplane.api.manager.verbs import Verbs


class Shared:
    """A store as `jobplane.control.upkeep.Keeps`; the vacuum is left to the database or to who runs the scheduler."""

    def __init__(self, store: Verbs) -> None:
        self.promote = store.promote
        self.reap = store.reap
        self.expire = store.expire
        self.sweep = store.sweep
        self.tick = store.tick
        self.tidy = store.tidy

    async def vacuum(self) -> None:
        return None
