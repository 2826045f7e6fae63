"""What every verb does to a job, in plain Python: the specification that each store is held to.

A verb here returns what the store must answer. Where a store may choose (which jobs a claim takes, which of those that
wait for a slot get it), it says in `choices` how many of them, and the comparison follows the store.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from jobplane.core.model import JobStatus, Outcome
from tests.leases import settlement
from tests.model.jobs import Jobs
from tests.model.leases import Bounds, Leases
from tests.model.life import WAITING, Gate, Place
from tests.model.plane import Hand

DAY: Final = timedelta(days=1)


@dataclass
class Specification(Jobs, Leases):
    """The whole: to a tenant's jobs and the leases it adds the upkeep."""

    def promote(self) -> int:
        due = [life for life in self.at(Place.UPCOMING) if life.due_at <= self.now]
        for life in due:
            life.wait(Place.READY)
        return len(due)

    def reap(self) -> int:
        """Settle for workers that are gone, as lost; what had not begun is released."""
        late = [life.run for life in self.lives if life.run and life.run.lease_expires_at < self.now]
        ends = {True: Outcome.LOST, False: Outcome.RELEASED}
        self.settle([settlement(lease=run.lease, outcome=ends[run.begun], reason="lease_expired") for run in late])
        return len(late)

    def expire(self) -> int:
        """Cancel what did not start in time; what has started once may go on trying."""
        late = [life for life in self.lives if life.place in WAITING and self.expired(life)]
        for life in late:
            life.end(JobStatus.CANCELED, self.now, "expired")
        return len(late)

    def sweep(self, *gates: Gate) -> int:
        """Every gate that has room (or each of those named) lets as many back as it has room for."""
        held = Counter(life.gate for life in self.at(Place.HELD))
        free = {gate: min(self.room(gate), n) for gate, n in held.items() if not gates or gate in gates}
        self.choices = {gate: Bounds(n, n) for gate, n in free.items()}
        return sum(free.values())

    def let_in(self, hand: Hand) -> None:
        """A worker comes: what it knows goes back to ready, and so does what differs from its policy."""
        held = Counter(life.gate for life in self.at(Place.HELD))
        kinds = {key: policy.kind for key, policy in self.definitions.items()}
        gates = [("w", key) for key, kind in kinds.items() if hand.knows(key, kind) or hand.differs(key, kind)]
        self.choices = {gate: Bounds(held[gate], held[gate]) for gate in gates if held[gate]}

    def tidy(self) -> None:
        self.workers = {name: hand for name, hand in self.workers.items() if hand.seen_at >= self.now - DAY}
