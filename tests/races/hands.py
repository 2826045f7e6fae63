"""The hands that play a race: an application's, a worker's and an admin's, each on a connection of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, LiteralString, NamedTuple, cast
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb

Connection = psycopg.Connection[tuple[Any, ...]]

AS_TENANT: Final = "select e.* from (select set_config('jobplane.tenant_id', %s, true)) s, lateral jobplane."


class Enqueued(NamedTuple):
    job_id: UUID
    created: bool
    outcome: str


class Row(NamedTuple):
    """The answer for one row of a batch."""

    ord: int
    job_id: UUID | None
    outcome: str
    error_code: str | None
    error: str | None


class Lease(NamedTuple):
    seq: int
    job_id: UUID
    tenant_id: UUID
    attempt_no: int
    token: UUID


class Ticket(NamedTuple):
    """A lease as a worker holds it that does not read its lines."""

    seq: int
    attempt_no: int
    token: UUID


class Settled(NamedTuple):
    seq: int
    attempt_no: int
    accepted: bool | None
    status: str


class Hand:
    """One connection. In a transaction, nothing it does is seen before it commits."""

    def __init__(self, conn: Connection) -> None:
        self.conn = conn
        self.pid = conn.info.backend_pid

    def run(self, statement: str, *parameters: object) -> list[tuple[Any, ...]]:
        return self.conn.execute(cast("LiteralString", statement), parameters).fetchall()

    def call(self, verb: str, *arguments: object) -> Any:
        """The one value that a verb answers."""
        places = ", ".join(["%s"] * len(arguments))
        return self.run(f"select jobplane.{verb}({places})", *arguments)[0][0]

    def commit(self) -> None:
        self.conn.commit()

    def rollback(self) -> None:
        self.conn.rollback()


class App(Hand):
    """A tenant's application."""

    def __init__(self, conn: Connection, tenant: UUID) -> None:
        super().__init__(conn)
        self.tenant = str(tenant)

    def enqueue(self, definition: str = "d", /, **options: object) -> Enqueued:
        named = "".join(f", p_{name} => %s" for name in options)
        door = f"{AS_TENANT}enqueue(%s{named}) e"
        return Enqueued(*self.run(door, self.tenant, definition, *map(_parameter, options.values()))[0])

    def enqueue_many(self, n: int, definition: str = "d", /, **columns: Sequence[object]) -> list[Row]:
        named = "".join(f", p_{name} => %s" for name in columns)
        door = f"{AS_TENANT}enqueue_many(%s, %s{named}) e"
        rows = [definition] * n, [Jsonb({})] * n
        return [Row(*row) for row in self.run(door, self.tenant, *rows, *map(list, columns.values()))]

    def cancel(self, job_id: UUID) -> str:
        return self._move("cancel", job_id)

    def retry(self, job_id: UUID) -> str:
        return self._move("retry", job_id)

    def reschedule(self, job_id: UUID, delay_seconds: float = 0) -> str:
        return self.run(f"{AS_TENANT}reschedule(%s, null, %s) e", self.tenant, [job_id], delay_seconds)[0][1]

    def edit(self, job_id: UUID, **changes: object) -> str:
        return self.run(f"{AS_TENANT}edit(%s, %s) e", self.tenant, job_id, Jsonb(changes))[0][1]

    def _move(self, verb: str, job_id: UUID) -> str:
        return self.run(f"{AS_TENANT}{verb}(%s) e", self.tenant, [job_id])[0][1]


class Worker(Hand):
    """A worker's supervisor; it can do the upkeep too."""

    def claim(self, limit: int = 1, *, queue: str = "default", lease_seconds: int = 30) -> list[Lease]:
        ask = "select seq, job_id, tenant_id, attempt_no, token from jobplane.claim(%s, 'w', %s, %s) where not more"
        return [Lease(*row) for row in self.run(ask, queue, limit, lease_seconds)]

    def settle(self, leases: Sequence[Lease], outcomes: str | Sequence[str] = "succeeded") -> list[Settled]:
        each = [outcomes] * len(leases) if isinstance(outcomes, str) else list(outcomes)
        end = (
            "select seq, attempt_no, accepted, status from jobplane.settle(%s, %s, %s, %s::jobplane.attempt_outcome[])"
        )
        return [Settled(*row) for row in self.run(end, *_fence(leases), each)]

    def renew(self, leases: Sequence[Lease]) -> dict[int, str]:
        return dict(self.run("select seq, answer from jobplane.renew(%s, %s, %s)", *_fence(leases)))

    def claim_encoded(self, limit: int) -> list[Ticket]:
        taken = "jobplane.claim_encoded('default', 'w', %s) c, unnest(c.seqs, c.attempt_nos) x(seq, no)"
        ask = f"select x.seq, x.no, c.token from {taken}"
        return [Ticket(*row) for row in self.run(ask, limit)]

    def begin(self, tickets: Sequence[Ticket]) -> dict[int, str]:
        """Renew, and say that their handlers have started; what needs something."""
        renew = "select seq, answer from jobplane.renew_all(%s, %s, %s, p_begun => array_fill(true, array[%s]))"
        return dict(self.run(renew, *map(list, zip(*tickets, strict=True)), len(tickets)))


class Admin(Hand):
    def define(self, key: str, **document: object) -> None:
        self.run("select * from jobplane.put_definitions(%s)", [Jsonb({"key": key, "kind": "python", **document})])

    def tenant(self, slug: str, **limits: int) -> UUID:
        named = "".join(f", p_{name} => %s" for name in limits)
        return self.run(f"select tenant_id from jobplane.create_tenant(%s{named})", slug, *limits.values())[0][0]

    def set_tenant(self, tenant: UUID, **changes: object) -> None:
        self.call("set_tenant", tenant, Jsonb(changes))


def _fence(leases: Sequence[Lease]) -> tuple[list[int], list[int], list[UUID]]:
    return [x.seq for x in leases], [x.attempt_no for x in leases], [x.token for x in leases]


def _parameter(value: object) -> object:
    return Jsonb(value) if isinstance(value, dict) else value
