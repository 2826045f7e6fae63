-- prune_receipts: one step of a walk over the idempotency keys: remove those whose job is gone. A key that met a job by its dedupe key speaks of that job, which does not know it
-- in:  the key to go on after: tenant, definition, idempotency key (null: from the beginning); how many to look at, 1000 at most
-- out: the last key that was looked at, null when the walk is over; how many were looked at, and how many went

-- statement: stretch
select r.tenant_no, r.definition_id, r.idempotency_key, not exists (select 1 from jobplane_jobs j where j.seq = r.seq) from jobplane_receipts r
 where (r.tenant_no, r.definition_id, r.idempotency_key) > (?, ?, cast(? as text)) order by r.tenant_no, r.definition_id, r.idempotency_key limit ?

-- statement: remove
delete from jobplane_receipts
 where (tenant_no, definition_id, idempotency_key) > (?, ?, cast(? as text)) and (tenant_no, definition_id, idempotency_key) <= (?, ?, cast(? as text))
   and not exists (select 1 from jobplane_jobs j where j.seq = jobplane_receipts.seq)
