"""One row that a claim looks at, and what every gate says of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from jobplane.store.base import Conn
from jobplane.store.sqlite.verbs import gates

REASONS = {"t": "tenant_limit", "d": "definition_limit", "dt": "definition_tenant_limit"}


@dataclass(slots=True)
class Candidate:
    """A ready row with its tenant and definition, as the claim's look has them."""

    seq: int
    tag: int
    tenant_no: int
    definition_id: int
    expires_at: int | None
    scheduled_for: int
    attempt_no: int
    attempts_left: int
    priority: int
    alone: int
    tenant_id: str
    max_in_flight: int | None
    tenant_paused: int
    definition_key: str
    is_gone: int  # there is no definition of that key and id
    kind: str | None
    active: int
    max_running: int | None
    max_running_per_tenant: int | None
    isolated: int
    lasting: int
    keys: list[str] = field(default_factory=list[str])

    def limits(self) -> dict[str, int]:
        """What the row would count against, with how many each takes."""
        found: dict[str, int] = {}
        if self.max_in_flight is not None:
            found[f"t/{self.tenant_no}"] = self.max_in_flight
        if self.max_running is not None:
            found[f"d/{self.definition_id}"] = self.max_running
        if self.max_running_per_tenant is not None:
            found[f"dt/{self.definition_id}/{self.tenant_no}"] = self.max_running_per_tenant
        return found


def _why_unknown(row: Candidate, workers: Iterable[gates.LiveWorker]) -> str:
    """Why no live worker of the queue runs the row."""
    if row.kind is None:
        return "unbound"
    differs = any(worker.differs(row.definition_key, row.kind) for worker in workers)
    return "policy_mismatch" if differs else "no_worker"


class Gatekeeper:
    """Judges rows one by one, in order; a job that one gate shuts takes no room at its others."""

    def __init__(self, db: Conn, now: int, queue: str, knows: frozenset[str] | None) -> None:
        self._db = db
        self._now = now
        self._queue = queue
        self._knows = knows
        self._workers: list[gates.LiveWorker] | None = None
        self._used: dict[str, int] = {}
        self.held: list[tuple[int, str, str]] = []  # seq, gate, reason
        self.counted: dict[str, int] = {}  # limit: leases that this claim adds
        self.full: set[str] = set()

    def learn(self, rows: Iterable[Candidate]) -> None:
        """Look up what the limits of several rows count, at once."""
        if keys := {key for row in rows for key in row.limits()} - self._used.keys():
            self._used |= dict.fromkeys(keys, 0) | gates.count_used(self._db, keys)

    def passes(self, row: Candidate) -> bool:
        """Whether the row may run now; if not it is held, or stays where it is."""
        if row.expires_at is not None and row.expires_at <= self._now:
            return False
        if row.tenant_paused:
            return self._shut(row, f"t/{row.tenant_no}", "tenant_paused")
        if row.is_gone:
            return self._shut(row, gates.gone_gate_of(row.definition_key), "definition_gone")
        if not row.active:
            return self._shut(row, f"d/{row.definition_id}", "definition_inactive")
        if row.kind == "command" if self._knows is None else row.definition_key not in self._knows:
            others = self._others()
            if not any(worker.knows(row.definition_key, row.kind) for worker in others):
                self._shut(row, f"w/{row.definition_id}", _why_unknown(row, others))
            return False
        return self._has_room(row)

    def _shut(self, row: Candidate, gate: str, reason: str) -> bool:
        self.held.append((row.seq, gate, reason))
        return False

    def _others(self) -> list[gates.LiveWorker]:
        """The live workers of this queue."""
        if self._workers is None:
            self._workers = [
                worker for worker in gates.live_workers(self._db, self._now) if self._queue in worker.queues
            ]
        return self._workers

    def _has_room(self, row: Candidate) -> bool:
        limits = row.limits()
        for key, most in limits.items():
            if self._used[key] + self.counted.get(key, 0) >= most:
                self.full.add(key)
                return self._shut(row, key, REASONS[key.split("/")[0]])
        for key in limits:
            self.counted[key] = self.counted.get(key, 0) + 1
        row.keys = list(limits)
        return True
