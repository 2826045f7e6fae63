"""A job with everything in it, written and read back with one lent connection."""

from __future__ import annotations

from jobplane.api.transactions import lend
from jobplane.core.model import DEFAULT_TENANT, Job
from jobplane.store.verbs.jobs import Enqueue, GetJobs
from tests.client import BlockingPostgresStore
from tests.transactions.jobs import FULL, ids


def written_and_read(store: BlockingPostgresStore, conn: object) -> Job:
    [job_id] = ids(store.run(Enqueue(DEFAULT_TENANT, [FULL]), conn=lend(conn)))
    [job] = store.run(GetJobs(DEFAULT_TENANT, [job_id]), conn=lend(conn))
    assert (job.id, job.payload, job.expires_at) == (job_id, FULL.payload, FULL.expires_at)
    return job
