"""changes: marks that differ when something has changed."""

from __future__ import annotations

from typing import Any, Final

from jobplane.core.changes import Marks
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import SECOND, Moment, parse_uuid
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.gates import LIVE, live_workers
from jobplane.store.verbs.operator import FindChanges

_MINUTE: Final = 60 * SECOND
_MOST: Final = 1000
_SQL: Final = statements.load_verb("changes")


def find_changes(db: Conn, moment: Moment, verb: FindChanges) -> list[Marks]:
    served = sorted({queue for worker in live_workers(db, moment.now) for queue in worker.queues})
    minute = moment.now // _MINUTE
    asked = batch(checks.uuids(verb.tenants[:_MOST]))
    numbers = db.rows(statements.load_verb("tenant_depths")["tenants"], (asked,))
    found = [_tenant(db, number, tenant, served, minute) for number, tenant in numbers]
    return [*found, _installation(db, moment, served, minute)] if verb.all_tenants else found


def _tenant(db: Conn, number: int, tenant: str, served: list[str], minute: int) -> Marks:
    [jobs] = _rows(db, "jobs", number)
    _, held, *_, dead, _, paused_at = jobs
    waiting = [(queue, paused, name in served) for queue, paused, name in _rows(db, "waiting", number)]
    problems = (paused_at, dead, held, waiting, minute if waiting else None)
    return Marks(parse_uuid(tenant), repr(jobs[:-1]), None, None, repr(problems))


def _installation(db: Conn, moment: Moment, served: list[str], minute: int) -> Marks:
    jobs = repr(db.rows(_SQL["installation"], ()))
    queues = repr((jobs, db.rows(_SQL["queues"], ())))
    workers = db.rows(_SQL["workers"], (moment.now - LIVE,))
    live = sum(row[-1] for row in workers)
    return Marks(None, jobs, queues, repr(workers), repr((queues, served, live, minute)))


def _rows(db: Conn, name: str, number: int) -> list[tuple[Any, ...]]:
    """What a statement about one tenant finds."""
    return db.rows(_SQL[name], [number] * _SQL[name].count("?"))
