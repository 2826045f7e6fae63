"""A program of the version before reads what it knows from functions that say more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from jobplane.core.leases import Claimed, Lease
from jobplane.core.logs import NewLogLine
from jobplane.core.model import DEFAULT_TENANT, JobFilter, JobStatus, NewJob, NewWorker, Outcome
from tests.conformance.backend import PostgresBackend
from tests.database import Database
from tests.leases import settlement

# In front, where whoever counts columns is wrong at once.
SAY_MORE: Final = """
grant create on schema jobplane to jobplane_doors, jobplane_engine;
do $do$
declare
  v        record;
  v_logins constant text[] := '{jobplane_app,jobplane_worker,jobplane_admin}';
begin
  for v in select p.proname as name, pg_get_function_arguments(p.oid) as arguments, p.proowner::regrole as owner,
                  pg_get_function_identity_arguments(p.oid) as identity, pg_get_function_result(p.oid) as result,
                  (select string_agg('$' || n, ', ') from generate_series(1, p.pronargs) n) as given
             from pg_proc p
            where p.pronamespace = 'jobplane'::regnamespace and pg_get_function_result(p.oid) like 'TABLE(%'
              and exists (select from unnest(v_logins) l where has_function_privilege(l, p.oid, 'execute'))
  loop
    execute format('set local role %s', v.owner);
    execute format('alter function jobplane.%I(%s) rename to %I', v.name, v.identity, v.name || '_before');
    execute format('create function jobplane.%I(%s) returns %s language sql as $$select 0, * from jobplane.%I(%s)$$',
                   v.name, v.arguments, replace(v.result, 'TABLE(', 'TABLE(later int, '), v.name || '_before', v.given);
  end loop;
end $do$;
set local role jobplane_owner;
alter table jobplane.tenants add column later int;
"""


async def test_a_column_that_is_added_breaks_no_call(db: Database) -> None:
    db.own(SAY_MORE)
    async with PostgresBackend(db).open() as store:
        await store.put_definitions([{"key": "d", "kind": "python"}])
        await store.register_worker(NewWorker(worker_id="w", queues=["default"]))
        tenant = (await store.create_tenant("acme")).tenant_id
        [plain] = await store.enqueue(tenant, [NewJob(definition="d", payload={})])
        jobs = [
            row.job_id
            for row in await store.enqueue(tenant, [NewJob(definition="d", payload={}, priority=1)] * 2)
            if row.job_id
        ]
        await store.reschedule(tenant, jobs, delay_seconds=60)
        await store.edit(tenant, jobs[0], {"priority": 2})
        canceled = await store.cancel(tenant, jobs)
        retried = await store.retry(tenant, jobs[:1])
        [lease] = (await store.claim("default", "w", limit=9)).leases
        renewed = await store.renew([lease])
        settled = await store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED, result={"n": 1})])
        page = await store.list_jobs(tenant, JobFilter())

        assert {moved.status for moved in canceled} == {JobStatus.CANCELED}
        assert [moved.outcome for moved in retried] == ["queued"]
        assert (plain.outcome, renewed[0].answer, settled[0].accepted) == ("created", "renewed", True)
        assert [job.id for job in page.items] == [*reversed(jobs), plain.job_id]
        assert [attempt.worker_id for attempt in await store.attempts(tenant, lease.job_id)] == ["w"]
        assert await store.result(tenant, lease.job_id) == {"n": 1}
        assert (await store.summary(tenant)).succeeded == 1
        assert [queue.name for queue in await store.queues()] == ["default", "system"]
        assert [worker.worker_id for worker in await store.workers()] == ["w"]
        assert [found.key for found in await store.definitions()] == ["d"]
        assert [*await store.want_work(["default"])] == ["default"]
        assert (await store.set_tenant(tenant, {"weight": 2})).weight == (await store.get_tenant("acme")).weight == 2


async def test_nor_one_of_a_worker(db: Database) -> None:
    db.own(SAY_MORE)
    async with PostgresBackend(db).open() as store, PostgresBackend(db).open_worker_store() as worker_store:
        await store.put_definitions([{"key": "d", "kind": "python"}])
        jobs = await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", payload={})] * 3)
        [gone, *held] = (await worker_store.claim_encoded("default", "w", limit=9, lease_seconds=9)).leases
        await store.log_lines([NewLogLine(gone, 1, datetime.now(UTC), "info", "here")])
        await worker_store.settle_all([gone])
        again = await worker_store.settle_all([gone._replace(attempt_no=2)])
        renewed = await worker_store.renew_all([gone, *held], lease_seconds=9)
        found = await store.search_logs(DEFAULT_TENANT, "here")
        db.peek("update jobplane.leases set expires_at = jobplane.clock() - interval '1 minute'")

        assert [unsettled.accepted for unsettled in again] == [False]
        assert [renewal.seq for renewal in renewed] == [gone.seq]
        assert [line.line.message for line in found.lines] == ["here"]
        assert [line.message for line in await store.read_logs(DEFAULT_TENANT, jobs[0].job_id or gone.token)] == [
            "here"
        ]
        assert {reaped.worker_id for reaped in await worker_store.reap_all()} == {"w"}


async def test_a_worker_of_the_version_before_claims_by_the_old_name(db: Database) -> None:
    async with PostgresBackend(db).open() as store:
        await store.put_definitions([{"key": "d", "kind": "python"}])
        await store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", payload={"n": 1})])

        with db.connect("worker") as conn:
            claim = "select seqs, attempt_nos, token, lines, lease_expires_at, alone, lasting, more"
            [row] = conn.execute(f"{claim} from jobplane.claim_lines('default', 'w', 9, 30, false)").fetchall()
            [nothing] = conn.execute(f"{claim} from jobplane.claim_lines('default', 'w')").fetchall()

    seqs, attempt_nos, token, jobs, *_ = row
    [lease] = [Lease(seq, no, token) for seq, no in zip(seqs, attempt_nos, strict=True)]
    [job] = Claimed([lease], jobs).read()
    assert (job.seq, job.payload) == (lease.seq, {"n": 1})
    assert (nothing[0], nothing[3], nothing[-1]) == (None, None, False)
