"""Jobs put straight into the tables, with the tags that a fair enqueue would have given them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from bench.facts import ATTEMPT, ENDING, JOB, LEASE, PAYLOAD, READY, WAITING, insert
from bench.rig import Database, Rig, migrated

CLOCK: Final = (
    "from j, (select coalesce(max(v), 0) as v from jobplane.clocks where queue_id = 1 and priority = 100) clock"
)
FAIR: Final = WAITING | {"tag": "clock.v + (row_number() over (partition by j.tenant_id order by j.seq)) * 1000000"}
HELD: Final = FAIR | {"gate": "'t/' || j.tenant_id", "reason": "'tenant_paused'"}
LEASED: Final = """
from (select *, gen_random_uuid() as token, scheduled_for as started_at, 1 as attempt_no, 2 as attempts_left,
             'bench' as worker_id from j) d"""


def _ended(status: str, outcome: str) -> str:
    """Jobs that ended in their first attempt, which took no time."""
    attempt = ATTEMPT | {"outcome": f"'{outcome}'", "led_to": f"'{status}'", "finished_at": "d.started_at"}
    ending = ENDING | {"status": f"'{status}'", "finished_at": "d.started_at"}
    return f", a as ({insert('attempts', attempt, LEASED)}) {insert('endings', ending, LEASED)}"


RUNNING: Final = LEASE | {
    "token": "d.token",
    "started_at": "d.started_at",
    "expires_at": "now() + interval '1 day'",
    "attempt_no": "1",
    "attempts_left": "2",
    **dict.fromkeys(("deduped", "alone"), "false"),
    "interruptions": "0",
}
STATES: Final = {
    "ready": insert("ready", FAIR, CLOCK),
    "in order": insert("ready", READY, "from j"),
    "held": insert("held", HELD, CLOCK),
    "upcoming": insert("upcoming", WAITING, "from j"),
    "running": insert("leases", RUNNING, LEASED),
    "ended": _ended("succeeded", "succeeded"),
    "failed": _ended("failed", "fatal"),
    "dead_letter": _ended("dead_letter", "failed"),
    "canceled": _ended("canceled", "canceled"),
}


def tenant(number: int) -> UUID:
    return UUID(int=(0x7000_8000 << 64) + (1 << 40) + number)


def tenant_sql(first: int, count: int) -> str:
    """The tenant of row g, in turn."""
    return f"('{str(tenant(0))[:26]}' || lpad(to_hex({first} + g % {count}), 10, '0'))::uuid"


def jobs(
    database: Database, n: int, *, tenants: int = 100, first: int = 0, state: str = "ready", at: str = "now()"
) -> None:
    """Put n jobs of these tenants, in turn, into one state's table; `at` is when job g was made, as SQL."""
    due = "now() + interval '1 day'" if state == "upcoming" else at
    facts = JOB | {"tenant_id": tenant_sql(first, tenants), "payload": f"'{PAYLOAD}'"}
    facts |= {"created_at": at, "scheduled_for": due}
    written = insert("jobs", facts, f"from generate_series(1, {n}) g returning *")
    database.run(f"with j as ({written}) {STATES[state]}")


def tenants(database: Database, count: int) -> None:
    columns = {"tenant_id": tenant_sql(0, count), "slug": "'bench-' || g"}
    database.run(insert("tenants", columns, f"from generate_series(1, {count}) g"))


def ours(rig: Rig, count: int = 100) -> str:
    """A migrated database with one definition and so many tenants."""

    def prepare(database: Database) -> None:
        migrated(database)
        define(database, "{}")
        tenants(database, count)

    return rig.template(f"ours_{count}", prepare)


def define(database: Database, changes: str) -> None:
    """Make the definition of all jobs, or change it."""
    known = '{"key": "noop", "kind": "python", "arg_schema": true}'
    database.run(f"select jobplane.put_definitions(array['{known}'::jsonb || '{changes}'])")


def bare(rig: Rig) -> str:
    """The same tables and indexes without row-level security."""

    def prepare(database: Database) -> None:
        tables = database.run("""select relname, pg_get_userbyid(relowner) from pg_class
                                  where relnamespace = 'jobplane'::regnamespace and relrowsecurity""")
        for name, owner in tables:
            database.own(f"set role {owner}", f'alter table jobplane."{name}" disable row level security')

    return rig.template("bare", prepare, of=ours(rig))
