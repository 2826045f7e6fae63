"""A job with everything in it, written and read back with one lent connection."""

from __future__ import annotations

from jobplane.api.transactions import lend
from jobplane.core.model import DEFAULT_TENANT, Job
from jobplane.store.postgres.blocking import BlockingPostgresStore
from tests.transactions.jobs import FULL, ids


def written_and_read(store: BlockingPostgresStore, conn: object) -> Job:
    [job_id] = ids(store.enqueue(DEFAULT_TENANT, [FULL], conn=lend(conn)))
    [job] = store.get_jobs(DEFAULT_TENANT, [job_id], conn=lend(conn))
    assert (job.id, job.payload, job.expires_at) == (job_id, FULL.payload, FULL.expires_at)
    return job
