"""What the operator has set, and what it means for a job: which gate is shut, and how much room each has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from jobplane.core.model import Backoff, Document
from tests.clock import START
from tests.model.life import LIMITS, Gate, Life, Place

LIVE: Final = timedelta(seconds=60)


@dataclass
class Owner:
    """A tenant."""

    weight: int = 1
    paused: bool = False
    max_in_flight: int | None = None
    max_pending: int | None = None


@dataclass
class Policy:
    """A definition."""

    queue: str = "default"
    kind: str | None = "python"
    priority: int = 100
    max_attempts: int = 3
    timeout_seconds: int | None = None
    backoff: Backoff = field(default_factory=Backoff)
    command: Document | None = None
    active: bool = True
    max_running: int | None = None
    max_running_per_tenant: int | None = None


@dataclass
class Hand:
    """A worker; `definitions` None means any but commands."""

    queues: frozenset[str]
    definitions: frozenset[str] | None
    seen_at: datetime
    mismatched: frozenset[str] = frozenset()

    def knows(self, key: str, kind: str | None) -> bool:
        return kind != "command" if self.definitions is None else key in self.definitions

    def differs(self, key: str, kind: str | None) -> bool:
        return kind == "command" and key in self.mismatched

    def forget(self, key: str) -> None:
        """A command has changed."""
        if self.definitions is not None:
            self.definitions -= {key}


ANYBODY: Final = Hand(frozenset(), None, START)  # who is not registered


@dataclass
class Plane:
    """Everything that the specification remembers; the clock and the dice are the test's."""

    now: datetime = START
    dice: float = 0.5
    tenants: dict[UUID, Owner] = field(default_factory=dict[UUID, Owner])
    definitions: dict[str, Policy] = field(default_factory=dict[str, Policy])
    paused_queues: dict[str, bool] = field(default_factory=dict[str, bool])
    workers: dict[str, Hand] = field(default_factory=dict[str, Hand])
    lives: list[Life] = field(default_factory=list[Life])

    def of(self, tenant: UUID) -> list[Life]:
        return [life for life in self.lives if life.tenant_id == tenant]

    def at(self, place: Place) -> list[Life]:
        return [life for life in self.lives if life.place is place]

    def find(self, tenant: UUID, job_id: UUID | None) -> Life | None:
        return next((life for life in self.of(tenant) if life.id == job_id), None)

    def expired(self, life: Life) -> bool:
        return life.must_start_by is not None and life.must_start_by <= self.now

    def limits(self, life: Life) -> Iterator[tuple[str, Gate, int]]:
        """The limits that count this job: the reason it is held by, the gate, and how many may run."""
        owner, policy = self.tenants[life.tenant_id], self.definitions[life.definition]
        most = (owner.max_in_flight, policy.max_running, policy.max_running_per_tenant)
        for (reason, kind), limit in zip(LIMITS.items(), most, strict=True):
            if limit is not None:
                yield reason, life.gate_called(kind), limit

    def used(self, gate: Gate) -> int:
        """How many leases count: all there are, expired ones too."""
        return sum(life.gate_called(gate[0]) == gate for life in self.at(Place.LEASED))

    def full(self, life: Life) -> list[str]:
        """The limits without room for one more, by their reasons."""
        return [reason for reason, gate, limit in self.limits(life) if self.used(gate) >= limit]

    def shut(self, life: Life, worker_id: str) -> str | None:
        """Why this worker may not start the job whatever runs: a pause, or a definition that is off or unknown."""
        policy = self.definitions[life.definition]
        if self.tenants[life.tenant_id].paused:
            return "tenant_paused"
        if not policy.active:
            return "definition_inactive"
        if not self.knows(worker_id, life.definition):
            return self._why_unknown(life, policy.kind)
        return None

    def _why_unknown(self, life: Life, kind: str | None) -> str:
        if kind is None:
            return "unbound"
        differs = any(hand.differs(life.definition, kind) for hand in self.live(life.queue))
        return "policy_mismatch" if differs else "no_worker"

    def knows(self, worker_id: str, definition: str) -> bool:
        """Who is not registered, or names no definitions, is taken at its word, but for commands."""
        hand = self.workers.get(worker_id, ANYBODY)
        return hand.knows(definition, self.definitions[definition].kind)

    def live(self, queue: str | None = None) -> Iterator[Hand]:
        """The live workers of a queue, or of any."""
        for hand in self.workers.values():
            if hand.seen_at > self.now - LIVE and (queue is None or queue in hand.queues):
                yield hand

    def known_to_a_live_worker(self, definition: str, queue: str | None = None) -> bool:
        kind = self.definitions[definition].kind
        return any(hand.knows(definition, kind) for hand in self.live(queue))

    def room(self, gate: Gate) -> int:
        """How many of those whom the gate holds it would let pass now."""
        kind, about = gate[0], gate[1]
        if kind == "w":
            return 1000 if self.known_to_a_live_worker(about) else 0
        if kind == "t":
            owner = self.tenants[UUID(about)]
            limit, is_open = owner.max_in_flight, not owner.paused
        else:
            policy = self.definitions[about]
            limit, is_open = (policy.max_running if kind == "d" else policy.max_running_per_tenant), policy.active
        if not is_open:
            return 0
        return 1000 if limit is None else max(limit - self.used(gate), 0)
