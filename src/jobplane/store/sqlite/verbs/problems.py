"""tenant_problems and list_problems: what keeps jobs from running or makes them fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from uuid import UUID

from jobplane.core.decoding import Reader, loads, names_of, optional, readable
from jobplane.core.problems import Finding
from jobplane.store.base import Conn
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.moment import SECOND, Moment, instant
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.verbs.jobs import FindProblems
from jobplane.store.verbs.operator import FindAllProblems

SLOW: Final = 300 * SECOND
LATE: Final = 60 * SECOND
_HOUR: Final = 3600 * SECOND
_SLUGS: Final = 100
_ROWS: Final = 20_000  # of dead letters that are read, at most
_GATES: Final = 1000
_SQL: Final = statements.load_verb("list_problems")
_finding: Final = Reader(Finding, since=optional(instant), job_id=optional(UUID))
_DEFAULTS: Final[Mapping[str, Any]] = dict.fromkeys(names_of(Finding)) | {"count": 0, "tenants": []}


def find_problems(db: Conn, moment: Moment, verb: FindProblems) -> list[Finding]:
    return list(_Search(db, moment.now, tenant_no(db, verb.tenant)).all())


def find_all_problems(db: Conn, moment: Moment, _: FindAllProblems) -> list[Finding]:
    search = _Search(db, moment.now, None)
    return [*search.all(), *search.silent_workers()]


def _found(code: str, **facts: Any) -> Finding:
    return _finding([({**_DEFAULTS, **facts, "code": code})[name] for name in names_of(Finding)])


@dataclass(slots=True)
class _Backlog:
    """Jobs of a lane or behind a gate, and whose they are."""

    count: int
    tenants: Sequence[str]


class _Search:
    """Looks for the problems of one tenant, or of all."""

    def __init__(self, db: Conn, now: int, tenant: int | None) -> None:
        self._db = db
        self._now = now
        self._of = () if tenant is None else (tenant,)
        self._sql = {**_SQL, **(statements.load_verb("tenant_problems") if self._of else {})}

    def all(self) -> Iterator[Finding]:
        yield from self._paused_queues()
        yield from self._paused_tenants()
        yield from self._lanes()
        yield from self._held()
        yield from self._dead_letters()
        yield from self._late_schedules()

    @cached_property
    def _tenants(self) -> list[tuple[Any, ...]]:
        return self._db.rows(self._sql["tenants"], self._of)

    @cached_property
    def _queues(self) -> dict[int, tuple[Any, ...]]:
        return {row[0]: row[1:] for row in self._db.rows(_SQL["queues"], ())}

    def _slugs(self, numbers: str) -> list[str]:
        wanted = set(readable(numbers, loads) or ())
        return sorted(row[1] for row in self._tenants if row[0] in wanted and isinstance(row[1], str))[:_SLUGS]

    def _backlog(self, queue_id: int) -> _Backlog:
        [(count, numbers)] = self._db.rows(self._sql["backlog"], (*self._of, queue_id))
        return _Backlog(count, self._slugs(numbers))

    def _paused_queues(self) -> Iterator[Finding]:
        for queue_id, (name, paused_at, by, reason) in self._queues.items():
            if paused_at is not None and (found := self._backlog(queue_id)).count:
                facts = {"since": paused_at, "by": by, "reason": reason, "count": found.count}
                yield _found("queue_paused", queue=name, tenants=found.tenants, **facts)

    def _paused_tenants(self) -> Iterator[Finding]:
        for number, slug, paused_at, by, reason in self._tenants:
            if paused_at is None:
                continue
            [(count,)] = self._db.rows(_SQL["waiting"], (number, number))
            if count:
                facts = {"since": paused_at, "by": by, "reason": reason, "count": count}
                yield _found("tenant_paused", tenant=slug, tenants=[] if self._of else [slug], **facts)

    def _lanes(self) -> Iterator[Finding]:
        """Queues that nobody serves, and queues whose oldest jobs wait for long."""
        served = {name for worker in gates.live_workers(self._db, self._now) for name in worker.queues}
        for queue_id, since in self._oldest().items():
            name, paused_at = self._queues.get(queue_id, (None, None))[:2]
            is_slow = since < self._now - SLOW
            if name is not None and paused_at is None and (is_slow or name not in served):
                found = self._backlog(queue_id)
                code = "slow_queue" if name in served else "no_worker"
                yield _found(code, queue=name, since=since, count=found.count, tenants=found.tenants)

    def _oldest(self) -> dict[int, int]:
        """Of each queue with ready jobs, since when the oldest of the next ones waits."""
        found: dict[int, int] = {}
        lane = (0, -1)
        while rows := self._db.rows(self._sql["lane"], (*self._of, *lane)):
            lane = rows[0]
            [(since,)] = self._db.rows(self._sql["oldest"], (*self._of, *lane))
            found[lane[0]] = min(since, found.get(lane[0], since))
        return found

    def _held(self) -> Iterator[Finding]:
        """Definitions that no live worker knows."""
        for gate in self._gates():
            definition_id = gate.removeprefix("w/")
            rows = self._db.rows(_SQL["definition"], (definition_id,)) if definition_id.isdecimal() else []
            if not rows or gates.room(self._db, gate, 1, self._now):
                continue
            [(count, since, numbers)] = self._db.rows(self._sql["held"], (*self._of, gate))
            key, kind = rows[0]
            facts = {"count": count, "since": since, "reason": self._why_unknown(key, kind)}
            yield _found("no_worker", definition_key=key, tenants=self._slugs(numbers), **facts)

    def _why_unknown(self, key: str, kind: str | None) -> str | None:
        """Why no live worker knows a definition, if that can be told."""
        if kind is None:
            return "unbound"
        workers = gates.live_workers(self._db, self._now)
        return "policy_mismatch" if any(worker.differs(key, kind) for worker in workers) else None

    def _gates(self) -> list[str]:
        if self._of:
            return [row[0] for row in self._db.rows(self._sql["gates"], self._of) if isinstance(row[0], str)]
        found: list[str] = []
        gate = gates.next_gate(self._db, "w/")
        while isinstance(gate, str) and gate.startswith("w/") and len(found) < _GATES:
            found.append(gate)
            gate = gates.next_gate(self._db, gate)
        return found

    def _dead_letters(self) -> Iterator[Finding]:
        """Of the last hour, by definition; of many tenants fewer each."""
        each = max(20, _ROWS // max(len(self._tenants), 20))
        dead: dict[str | bytes, list[tuple[int, int, Any, Any]]] = {}
        for number, slug, *_ in self._tenants:
            for key, at, seq, job_id in self._db.rows(_SQL["dead"], (number, each, self._now - _HOUR)):
                dead.setdefault(key, []).append((at, seq, job_id, slug))
        for key, rows in dead.items():
            _, seq, job_id, _ = max(rows, key=lambda row: row[:2])
            error = next((row[0] for row in self._db.rows(_SQL["error"], (seq,))), None)
            slugs = [] if self._of else sorted({row[3] for row in rows if isinstance(row[3], str)})[:_SLUGS]
            facts = {"since": min(row[0] for row in rows), "count": len(rows), "tenants": slugs}
            yield _found("dead_letters", definition_key=key, job_id=job_id, error=error, **facts)

    def _late_schedules(self) -> Iterator[Finding]:
        rows = self._db.rows(self._sql["late"], (*self._of, self._now - LATE))
        if rows:
            trigger_id, label, since, key, _ = rows[0]
            slugs = [] if self._of else self._slugs(batch({row[4] for row in rows}))
            facts = {"since": since, "count": len(rows), "tenants": slugs}
            yield _found("schedule_late", job_id=trigger_id, name=label, definition_key=key, **facts)

    def silent_workers(self) -> Iterator[Finding]:
        rows = self._db.rows(_SQL["silent"], (self._now - gates.LIVE, self._now - _HOUR))
        for worker_id, hostname, pid, seen_at, count in rows:
            yield _found("worker_silent", worker_id=worker_id, name=hostname, pid=pid, since=seen_at, count=count)
