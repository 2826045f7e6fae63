-- has_ready: whether jobs are ready that a worker may run. One that another transaction has locked is among them; a claim passes over it
-- in:  worker id
-- out: yes or no. It looks at the first 1,000 jobs of each queue and priority. Ask after a claim, which opens new priorities and moves to held what a limit shuts out
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.has_ready(p_worker_id text) returns boolean
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  v_now constant timestamptz := jobplane.clock();
begin
  return exists (
    select from jobplane.workers w
     cross join lateral unnest(w.queues) n(name)
     cross join lateral (select * from jobplane.queues q where q.name = n.name offset 0) q
     cross join lateral (select * from jobplane.clocks c where c.queue_id = q.queue_id offset 0) c
     cross join lateral (select * from jobplane.ready r where r.queue_id = c.queue_id and r.priority = c.priority and r.seq > 0 and r.tag >= c.low
                          order by r.tag limit 1000) r
     cross join lateral (select * from jobplane.tenants t where t.tenant_id = r.tenant_id offset 0) t
     cross join lateral (select * from jobplane.definitions d where d.definition_id = r.definition_id offset 0) d
     where w.worker_id = p_worker_id and q.paused_at is null and t.paused_at is null and d.active
       and coalesce(r.definition_id = any (w.definition_ids), d.kind is distinct from 'command') and (r.expires_at <= v_now) is not true);
end $$;
