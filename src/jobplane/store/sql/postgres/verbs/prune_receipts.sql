-- prune_receipts: one step of a walk over the idempotency keys: remove those whose job is gone. A key that met a job by its dedupe key speaks of that job, which does not know it
-- in:  the key to go on after: tenant, definition, idempotency key (null: from the beginning); how many to look at, 1000 at most
-- out: the last key that was looked at, null when the walk is over; how many were looked at, and how many went
-- owner: engine
-- for: scheduler
create or replace function jobplane.prune_receipts(p_tenant_id uuid default null, p_definition_id int default null, p_idempotency_key text default null, p_limit int default 1000)
returns table (tenant_id uuid, definition_id int, idempotency_key text, looked int, gone int)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_most constant int := least(greatest(p_limit, 1), 1000);
  v_tids tid[];
begin
  with stretch as materialized (
    select r.ctid as tid, r.tenant_id, r.definition_id, r.idempotency_key, r.seq from jobplane.receipts r
     where (r.tenant_id, r.definition_id, r.idempotency_key) > (coalesce(p_tenant_id, '00000000-0000-0000-0000-000000000000'), coalesce(p_definition_id, 0), coalesce(p_idempotency_key, ''))
     order by r.tenant_id, r.definition_id, r.idempotency_key limit v_most),
  newest as (select s.tenant_id, s.definition_id, s.idempotency_key from stretch s order by s.tenant_id desc, s.definition_id desc, s.idempotency_key desc limit 1)
  select (select count(*) from stretch), n.tenant_id, n.definition_id, n.idempotency_key,
         array(select s.tid from stretch s where not exists (select from jobplane.jobs j where j.seq = s.seq))
    into looked, tenant_id, definition_id, idempotency_key, v_tids
    from (select) one left join newest n on true;
  with locked as materialized (select r.ctid as tid from jobplane.receipts r where r.ctid = any (v_tids) for update skip locked)
  delete from jobplane.receipts r using locked l where r.ctid = l.tid;
  get diagnostics gone = row_count;
  if looked < v_most then
    tenant_id := null;
    definition_id := null;
    idempotency_key := null;
  end if;
  return next;
end $$;
