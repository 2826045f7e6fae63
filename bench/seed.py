"""Jobs put straight into the tables, with the tags that a fair enqueue would have given them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from bench.facts import ATTEMPT, ENDING, JOB, PAYLOAD, READY, WAITING, insert
from bench.rig import Database, Rig, migrated

CLOCK: Final = (
    "from j, (select coalesce(max(v), 0) as v from jobplane.clocks where queue_id = 1 and priority = 100) clock"
)
FAIR: Final = WAITING | {"tag": "clock.v + (row_number() over (partition by j.tenant_id order by j.seq)) * 1000000"}
HELD: Final = FAIR | {"gate": "'t/' || j.tenant_id", "reason": "'tenant_paused'"}
LEASED: Final = """
from (select *, gen_random_uuid() as token, now() as started_at, 1 as attempt_no, 2 as attempts_left,
             'bench' as worker_id from j) d"""
STATES: Final = {
    "ready": insert("ready", FAIR, CLOCK),
    "in order": insert("ready", READY, "from j"),
    "held": insert("held", HELD, CLOCK),
    "upcoming": insert("upcoming", WAITING, "from j"),
    "ended": f", a as ({insert('attempts', ATTEMPT, LEASED)}) {insert('endings', ENDING, LEASED)}",
}


def tenant(number: int) -> UUID:
    return UUID(int=(0x7000_8000 << 64) + (1 << 40) + number)


def tenant_sql(first: int, count: int) -> str:
    """The tenant of row g, in turn."""
    return f"('{str(tenant(0))[:26]}' || lpad(to_hex({first} + g % {count}), 10, '0'))::uuid"


def jobs(database: Database, n: int, *, tenants: int = 100, first: int = 0, state: str = "ready") -> None:
    """Put n jobs of these tenants, in turn, into one state's table."""
    facts = JOB | {"tenant_id": tenant_sql(first, tenants), "payload": f"'{PAYLOAD}'"}
    if state == "upcoming":
        facts |= {"scheduled_for": "now() + interval '1 day'"}
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
