"""Snapshots that somebody holds open: vacuum cannot remove the dead rows of the hot tables meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from jobplane.core.model import HeldSnapshot

log = logging.getLogger("jobplane.upkeep")

HELD_SECONDS: Final = 300.0
AGAIN_SECONDS: Final = 3600.0
_WORDS: Final = {
    "session": 'Session {pid} of login "{login}" has held a snapshot or a transaction open',
    "prepared": 'Prepared transaction "{name}" of login "{login}" has been open',
    "slot": 'Replication slot "{name}" has held back its xmin',
}
_EFFECT: Final = "Vacuum cannot remove rows that were deleted since then, and claims get slower. End it."


class Snapshots:
    """Warns of each that has been seen for five minutes, and again after an hour.

    PostgreSQL hides from other logins when a transaction began, so its age is counted from when it was first seen.
    """

    def __init__(self, by: str | None) -> None:
        self._by = by
        self._seen_at: dict[HeldSnapshot, float] = {}
        self._warn_at: dict[HeldSnapshot, float] = {}

    def see(self, held: Iterable[HeldSnapshot], now: float) -> None:
        """Compare with the snapshots that are held now; those that are missing have ended."""
        self._seen_at = {each: self._seen_at.get(each, now) for each in held}
        self._warn_at = {each: self._warn_at.get(each, at + HELD_SECONDS) for each, at in self._seen_at.items()}
        for each, at in self._warn_at.items():
            if now >= at:
                self._warn_at[each] = now + AGAIN_SECONDS
                self._warn(each, now - self._seen_at[each])

    def _warn(self, held: HeldSnapshot, seconds: float) -> None:
        words = _WORDS[held.kind].format(pid=held.pid, login=held.login, name=held.name)
        facts: dict[str, object] = {"event": "snapshot_held", "worker_id": self._by, "seconds": round(seconds)}
        facts |= {"pid": held.pid, "login": held.login, "name": held.name}
        log.warning("%s for at least %d s. %s", words, seconds, _EFFECT, extra={"facts": facts})
