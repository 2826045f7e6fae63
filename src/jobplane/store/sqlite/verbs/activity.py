"""activity and all_activity: what the jobs of one tenant, or of all, do now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final

from jobplane.core.model import Activity, WorkerCounts
from jobplane.store.base import Conn
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.moment import SECOND, Moment
from jobplane.store.sqlite.verbs.gates import LIVE
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.sqlite.verbs.read import describe
from jobplane.store.verbs.jobs import FindActivity
from jobplane.store.verbs.operator import FindAllActivity

_HOUR: Final = 3600 * SECOND
_SHOWN: Final = 10
_ENDED: Final = ("succeeded", "failed", "dead_letter", "canceled")
_FAILED: Final = ("failed", "dead_letter")
_SQL: Final = statements.load_verb("activity")
_ALL: Final = statements.load_verb("all_activity")


def find_activity(db: Conn, moment: Moment, verb: FindActivity) -> Activity:
    tenant = tenant_no(db, verb.tenant)
    running = [row[0] for row in db.rows(_SQL["running"], (tenant,))]
    return _activity(db, moment, [tenant], running, each=5000, few=200)


def find_all_activity(db: Conn, moment: Moment, _: FindAllActivity) -> Activity:
    tenants = [row[0] for row in db.rows(statements.load_verb("list_all_jobs")["tenants"], ())]
    running = [row[0] for row in db.rows(_ALL["running"], ())]
    each, few = max(20, 20_000 // max(len(tenants), 2)), max(10, 4000 // max(len(tenants), 20))
    workers = WorkerCounts(*db.rows(_ALL["workers"], (moment.now - LIVE,))[0])
    return replace(_activity(db, moment, tenants, running, each, few), workers=workers)


def _activity(
    db: Conn, moment: Moment, tenants: Sequence[int], running: Sequence[int], each: int, few: int
) -> Activity:
    """Of each tenant and status, `each` jobs are looked at for those that failed and `few` for the latest."""
    since = moment.now - _HOUR
    failed = [db.rows(_SQL["failed"], (since, no, status, each))[0] for no in tenants for status in _FAILED]
    newest = (db.rows(_SQL["ended"], (no, status, few)) for no in tenants for status in _ENDED)
    ended = [seq for _, seq in sorted(chain.from_iterable(newest), reverse=True)[:_SHOWN]]
    oldest = min((head for no in tenants for head in _heads(db, no)), default=None)
    seqs = [*ended, *running, *([] if oldest is None else [oldest[1]])]
    is_capped = any(seen == each for seen, _ in failed)
    return Activity.of([job for _, job in describe(db, seqs)], sum(n for _, n in failed), is_capped)


def _heads(db: Conn, tenant: int) -> list[tuple[int, int]]:
    """Of the first job of each of the tenant's lanes, when it came due, and its seq."""
    found: list[tuple[int, int]] = []
    lane = (0, -1)
    while rows := db.rows(_SQL["head"], (tenant, *lane)):
        queue_id, priority, at, seq = rows[0]
        lane = queue_id, priority
        found.append((at, seq))
    return found
