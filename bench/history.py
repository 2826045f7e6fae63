"""An installation that has been used for a while: one job a second, one tenant with half of them, the rest over 99."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from bench import seed
from bench.rig import Database, Rig, migrated

TENANTS: Final = 100
# Of a thousand jobs; the oldest first.
STATES: Final = {
    "ended": 880,
    "canceled": 10,
    "failed": 10,
    "dead_letter": 5,
    "upcoming": 10,
    "held": 10,
    "ready": 74,
    "running": 1,
}
LINES: Final = 10_000
LOG: Final = f"""
insert into jobplane.logs (seq, tenant_id, at, attempt_no, line, level, message)
  select j.seq, j.tenant_id, j.created_at, 1, n, case when n %% 50 = 0 then 'warning' else 'info' end,
         'line ' || n || ' of a long log, as long as lines usually are'
    from jobplane.jobs j, generate_series(1, {LINES}) n where j.id = %s"""


@contextmanager
def lived_in(rig: Rig, jobs: int) -> Generator[Database]:
    """A database with so many jobs. The job with the log is `logged`."""

    def prepare(database: Database) -> None:
        migrated(database)
        seed.define(database, "{}")
        seed.tenants(database, TENANTS)
        for state, share in STATES.items():
            # The same traffic whatever the number of jobs: more of them is a longer history.
            half = jobs * share // 2000
            at = f"now() - ({half} - g) * interval '{2000 / share} s'"
            seed.jobs(database, half, tenants=1, state=state, at=at)
            seed.jobs(database, half, tenants=TENANTS - 1, first=1, state=state, at=at)
        database.run(LOG, logged(database))

    name = rig.template(f"history_{jobs}", prepare)
    with rig.fresh(name) as database:
        yield database
    rig.forget(name)


def ended(database: Database) -> str:
    """The newest job of the large tenant that has succeeded."""
    return _first(database, "desc")


def logged(database: Database) -> str:
    """Its oldest."""
    return _first(database, "asc")


def _first(database: Database, order: str) -> str:
    found = database.run(
        f"""select j.id from jobplane.endings e join jobplane.jobs j using (seq)
             where e.tenant_id = %s and e.status = 'succeeded' order by e.seq {order} limit 1""",
        seed.tenant(0),
    )
    return str(found[0][0])
