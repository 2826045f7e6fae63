"""changes: marks that are others when something has changed."""

from __future__ import annotations

from typing import Any, Final

from jobplane.core.changes import Marks
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import SECOND, Moment, parse_uuid
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.gates import LIVE
from jobplane.store.verbs.operator import FindChanges

_MINUTE: Final = 60 * SECOND
_MOST: Final = 1000
_SQL: Final = statements.load_verb("changes")


def find_changes(db: Conn, moment: Moment, verb: FindChanges) -> list[Marks]:
    shut = db.rows(_SQL["queues"], ())[0]
    workers = db.rows(_SQL["workers"], (moment.now - LIVE,))
    fleet = [row[4] for row in workers if row[-1]]
    minute = moment.now // _MINUTE
    asked = batch(checks.uuids(verb.tenants[:_MOST]))
    found: list[Marks] = []
    for number, tenant in db.rows(statements.load_verb("tenant_depths")["tenants"], (asked,)):
        jobs = _jobs(db, number)
        ready, held, *_, dead, _, paused_at = jobs
        waits = ready is not None or held is not None
        problems = (shut, fleet, paused_at, dead, ready is None, held is None, minute if waits else None)
        found.append(Marks(parse_uuid(tenant), repr(jobs), None, None, repr(problems)))
    if verb.all_tenants:
        numbers = [row[0] for row in db.rows(statements.load_verb("list_all_jobs")["tenants"], ())]
        jobs = repr([_jobs(db, number) for number in numbers])
        found.append(Marks(None, jobs, repr((jobs, shut)), repr(workers), repr((jobs, shut, fleet, minute))))
    return found


def _jobs(db: Conn, number: int) -> tuple[Any, ...]:
    return db.rows(_SQL["jobs"], [number] * _SQL["jobs"].count("?"))[0]
