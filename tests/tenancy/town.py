"""The cast: alice, whose every table has a row that says so, and charlie, who must see nothing of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, LiteralString, cast
from uuid import UUID, uuid4

import psycopg
from psycopg.types.json import Jsonb

from tests.clock import Clock
from tests.database import Database, Rows

Connection = psycopg.Connection[tuple[Any, ...]]

HUSH: Final = "hush-alice"  # in her rows, and never in an argument of an attack
KEY: Final = "alice-key"  # in her rows too: what an attacker may have guessed
FINGERPRINT: Final = "\\x00"  # of every request
AS_TENANT: Final = "select v.* from (select set_config('jobplane.tenant_id', %s, true)) s, lateral jobplane."
DEFINITIONS: Final = [{"key": "d", "kind": "python"}, {"key": "shut", "kind": "python", "max_running": 0}]


@dataclass(frozen=True, slots=True)
class Target:
    """What an attack is aimed at. The first id is that of a job with a result and an attempt."""

    tenant: UUID
    slug: str
    key: str
    ids: tuple[UUID, ...]
    seqs: tuple[int, ...]
    token: UUID

    def like_nothing(self) -> Target:
        """The same shape and the same order, of which nothing ever was."""
        others = dict(zip(sorted(self.ids), sorted(uuid4() for _ in self.ids), strict=True))
        seqs = tuple(seq + 10**9 for seq in self.seqs)
        return Target(uuid4(), "nobody", "nobody-key", tuple(others[id_] for id_ in self.ids), seqs, uuid4())


class Town:
    """A database with its cast and its one worker."""

    def __init__(self, db: Database) -> None:
        self.db = db
        Clock.take_over(db)  # the same question, asked twice, gets the same answer
        self.app, self.worker, self.admin = (db.connect(role) for role in ("app", "worker", "admin"))
        run(self.admin, "select jobplane.put_definitions(%s)", [Jsonb(document) for document in DEFINITIONS])
        self.alice, self.charlie = (self.tenant(slug) for slug in ("alice", "charlie"))
        run(self.admin, "select jobplane.set_tenant(%s, %s)", self.alice, Jsonb({"max_pending": 1000}))
        self.target = self._seed_alice()
        self._give_alice_a_key()
        self._give_alice_a_trigger()
        self.as_tenant(self.alice, "reserve_reply(%s, %s, %s::bytea)", KEY, KEY, FINGERPRINT)
        self.as_tenant(self.alice, "save_reply(%s, %s, 201, %s)", KEY, KEY, HUSH)
        self.as_tenant(self.charlie, "enqueue('d', p_dedupe_key => 'charlie-key')")

    def tenant(self, slug: str) -> UUID:
        return run(self.admin, "select tenant_id from jobplane.create_tenant(%s)", slug)[0][0]

    def as_tenant(self, tenant: UUID | str, door: str, *parameters: object) -> Rows:
        """A door in one statement that sets the tenant."""
        return run(self.app, f"{AS_TENANT}{door} v", str(tenant), *parameters)

    def facts(self, tenant: UUID) -> Rows:
        """Every row of a tenant's, in every table."""
        each = "select '{0}', t::text from jobplane.{0} t where tenant_id = '{1}'"
        tables = self.db.peek(TENANT_TABLES)
        return sorted(self.db.peek(" union all ".join(each.format(table, tenant) for (table,) in tables)))

    def _seed_alice(self) -> Target:
        ended = [self._enqueue(p_max_attempts=1) for _ in range(4)]
        for outcome in ("succeeded", "failed", "fatal", "canceled"):
            lease = self._claim()[0]
            self._log(lease)
            self._write_output(lease)
            self._settle(outcome, lease)
        leased = self._enqueue(p_priority=1)
        seq, _, token = self._claim()[0]
        run(self.worker, "select * from jobplane.renew(%s, '{1}', %s, 3600, '{0.5}', %s)", [seq], [token], [HUSH])
        held = self._enqueue("shut")
        assert not self._claim()
        ready = self._enqueue(p_dedupe_key=KEY, p_idempotency_key=KEY)
        self.as_tenant(self.alice, "cancel(%s::uuid[], %s)", [self._enqueue()], HUSH)
        upcoming = self._enqueue(p_delay_seconds=3600, p_expires_at="2100-01-01")
        ids = (*ended, leased, held, ready, upcoming)
        seqs = [
            row[0] for row in self.db.peek("select seq from jobplane.jobs where id = any (%s) order by 1", list(ids))
        ]
        return Target(self.alice, "alice", KEY, ids, tuple(seqs), token)

    def _give_alice_a_key(self) -> None:
        """Which also writes to the audit log."""
        create_key = "create_key('alicealice01', sha256(%s::bytea), 'viewer', %s, %s)"
        run(self.admin, f"select jobplane.{create_key}", HUSH.encode(), self.alice, HUSH)

    def _give_alice_a_trigger(self) -> None:
        """With the id of a job, at which attacks with one id are aimed, and with a fire."""
        at = "2100-01-01T00:05:00Z"
        document = {
            "id": str(self.target.ids[0]), "key": KEY, "label": HUSH, "definition_key": "d", "cron_expr": "5 0 * * *",
            "next_run_at": at, "due_at": at, "zone_version": "2026.1", "payload_template": {"note": HUSH},
        }  # fmt: skip
        self.as_tenant(self.alice, "create_trigger(%s)", Jsonb(document))
        fire = "fire_trigger(%s, 1, 'manual', '{2026-01-01 12:00Z}', %s)"
        self.as_tenant(self.alice, fire, self.target.ids[0], [Jsonb({"note": HUSH})])

    def _enqueue(self, definition: str = "d", **options: object) -> UUID:
        facts: dict[str, object] = {"p_correlation_id": KEY, "p_created_by": KEY, "p_source_ref": HUSH, "p_tags": [KEY]}
        named = "".join(f", {name} => %s" for name in {**facts, **options})
        values = {**facts, **options}.values()
        return self.as_tenant(self.alice, f"enqueue(%s, %s{named})", definition, Jsonb({"note": HUSH}), *values)[0][0]

    def _claim(self) -> Rows:
        return run(self.worker, "select seq, attempt_no, token from jobplane.claim('default', 'worker-1', 1, 3600)")

    def _log(self, lease: tuple[Any, ...]) -> None:
        seq, number, token = lease
        values = [seq], [number], [token], [f"{HUSH} {KEY}"], [Jsonb({"note": HUSH})]
        log_lines = "log_lines(%s, %s, %s, '{1}', '{2026-01-01 12:00Z}', '{info}', %s, %s)"
        run(self.worker, f"select * from jobplane.{log_lines}", *values)

    def _write_output(self, lease: tuple[Any, ...]) -> None:
        seq, number, token = lease
        used = ", ".join(["'{1}'"] * 8)
        write_outputs = f"write_outputs(%s, %s, %s, {used}, %s, %s)"
        run(self.worker, f"select * from jobplane.{write_outputs}", [seq], [number], [token], [HUSH], [HUSH])

    def _settle(self, outcome: str, lease: tuple[Any, ...]) -> None:
        seq, number, token = lease
        values = [seq], [number], [token], [outcome], [HUSH], [HUSH], [Jsonb({"note": HUSH})]
        settle = "settle(%s, %s, %s, %s::jobplane.attempt_outcome[], %s, %s, p_results => %s)"
        run(self.worker, f"select * from jobplane.{settle}", *values)


# A row of these never outlives the transaction that wrote it.
TRANSIENT: Final = {"new_ids"}
TENANT_TABLES: Final = """
select c.relname::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
 where c.relnamespace = 'jobplane'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   and not a.attisdropped order by 1"""


def run(conn: Connection, statement: str, *parameters: object) -> Rows:
    cursor = conn.execute(cast("LiteralString", statement), parameters)
    return cursor.fetchall() if cursor.description else []
