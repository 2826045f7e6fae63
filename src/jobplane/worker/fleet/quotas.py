"""How many jobs to claim from a queue while the places for jobs that run alone are taken."""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from jobplane.worker.fleet.settings import Catalog
from jobplane.worker.fleet.verdict import PAUSE_SECONDS

TRY: Final = 2  # jobs, to see whether others stand behind
FIRST_SECONDS: Final = 0.5
MOST_SECONDS: Final = 5.0  # between two tries
LONGEST_SECONDS: Final = 60.0  # that a job stays away


@dataclass(slots=True)
class Spell:
    """A series of claims that brought only jobs that cannot run here yet."""

    since: float
    pause: float
    until: float


class Quotas:
    """Limits claims of jobs that must run alone: each job that goes back unstarted costs a row in the database.

    From a queue with only such jobs, no more are claimed than can run. If other jobs may be behind them, a few are
    claimed at growing intervals. The longer that finds no other job, the longer the claimed jobs wait before they come
    back, so that claims reach the jobs behind them first.
    """

    def __init__(self) -> None:
        self._lone_queues: frozenset[str] = frozenset()
        self._spells: dict[str, Spell] = {}
        self._back_at = 0.0

    def know(self, catalog: Catalog) -> None:
        """Learn which queues have only definitions that run alone."""
        kinds: defaultdict[str, set[bool]] = defaultdict(set)
        for known in catalog.definitions.values():
            kinds[known["queue"]].add(known["isolation"] == "process" or known["on_lost_contact"] == "continue")
        self._lone_queues = frozenset(queue for queue, alone in kinds.items() if alone == {True})

    def of(self, queue: str, wanted: int, now: float) -> int:
        """The most to claim from it; `wanted` is how many more could run alone, or soon."""
        spell = self._spells.get(queue)
        if queue in self._lone_queues:
            return max(0, wanted)
        if spell is None:
            return sys.maxsize
        return wanted if wanted > 0 else TRY if now >= spell.until else 0

    def learn(
        self, queue: str, surplus: int, now: float, *, found_nothing: bool, each: float = PAUSE_SECONDS
    ) -> list[float]:
        """Learn from a claim: `surplus` jobs cannot run here. Answers how long each of them stays away.

        `each` is the time after which one more can run, as far as is known.
        """
        if not found_nothing:
            self._spells.pop(queue, None)
        elif surplus:
            before = self._spells.get(queue)
            pause = min(MOST_SECONDS, before.pause * 2) if before else FIRST_SECONDS
            self._spells[queue] = Spell(before.since if before else now, pause, now + pause)
        spell = self._spells.get(queue)
        least = PAUSE_SECONDS + (now - spell.since if spell else 0.0)
        return [min(LONGEST_SECONDS, max(least, self._next(now, each))) for _ in range(surplus)]

    def _next(self, now: float, each: float) -> float:
        """The pause of the next job: jobs come back one after the other, as places become free."""
        self._back_at = min(max(now, self._back_at) + each, now + LONGEST_SECONDS)
        return self._back_at - now
