"""Those who ask in SQL see the same facts of a job as those who ask in Python."""

from __future__ import annotations

from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import BlockingPostgresStore
from tests.database import Database

ASK = """
select j.queued_at, j.canceled_at from (select set_config('jobplane.tenant_id', %s, true)) s,
  lateral jobplane.get_jobs(%s) j"""


def test_sql_shows_when_a_job_was_queued_and_canceled(db: Database, blocking: BlockingPostgresStore) -> None:
    blocking.put_definitions([{"key": "d", "kind": "python"}])
    waiting, canceled = [
        row.job_id for row in blocking.enqueue(DEFAULT_TENANT, [NewJob(definition="d")] * 2) if row.job_id
    ]
    blocking.cancel(DEFAULT_TENANT, [canceled])

    shown = db.connect("app").execute(ASK, [str(DEFAULT_TENANT), [waiting, canceled]]).fetchall()

    first, second = blocking.get_jobs(DEFAULT_TENANT, [waiting, canceled])
    assert shown == [(first.created_at, None), (second.created_at, second.finished_at)]
