-- explain: why one job of the tenant that is set waits, runs or has ended: all that a claim looks at before it takes a job
-- in:  the job's id
-- out: one row: the job, its queue, tenant and definition, live workers, limits, and its place in the lane. Ids of jobs are the tenant's own, up to ten; what other
--      tenants' jobs use is only counted. Counts stop at 10,000
-- owner: engine
-- for: app, admin
create or replace function jobplane.explain(p_id uuid)
returns table (now timestamptz, state text, job_id uuid, status text, definition_key text, queue text, priority int, scheduled_for timestamptz, expires_at timestamptz,
               held_by text, attempt_no int, worker_id text, hostname text, started_at timestamptz, finished_at timestamptz, lease_expires_at timestamptz,
               cancel_requested_at timestamptz, progress real, progress_message text, reason text, error text,
               queue_paused_at timestamptz, queue_paused_by text, queue_paused_reason text,
               tenant_paused_at timestamptz, tenant_paused_by text, tenant_paused_reason text,
               has_definition boolean, kind text, active boolean, deleted_at timestamptz,
               serving int, knowing text[], last_worker_id text, last_worker_seen_at timestamptz,
               max_in_flight int, tenant_used int, tenant_jobs uuid[], max_running int, definition_used int, own_running int,
               max_running_per_tenant int, definition_tenant_used int, definition_jobs uuid[], before int, lane_tenants int,
               mismatched text[])
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant     constant uuid := jobplane.current_tenant();
  v_live       constant timestamptz := jobplane.clock() - interval '60 s';
  v_cap        constant int := 10000;
  v_ids        constant int := 10;
  v_job        jobplane.job;
  v_seq        bigint;
  v_queue      int;
  v_tag        bigint;
  v_definition int;
  v_any        boolean;
begin
  select j.seq, j.queue_id into v_seq, v_queue from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    raise exception 'There is no job %.', p_id using errcode = 'JP010';
  end if;
  select * into v_job from jobplane.describe(v_tenant, array[v_seq]);
  now := jobplane.clock();
  job_id := v_job.id;
  status := v_job.status;
  definition_key := v_job.definition_key;
  queue := v_job.queue;
  priority := v_job.priority;
  scheduled_for := v_job.scheduled_for;
  expires_at := v_job.expires_at;
  held_by := v_job.held_by;
  attempt_no := v_job.attempt_no;
  worker_id := v_job.worker_id;
  started_at := v_job.started_at;
  finished_at := v_job.finished_at;
  lease_expires_at := v_job.lease_expires_at;
  cancel_requested_at := v_job.cancel_requested_at;
  progress := v_job.progress;
  progress_message := v_job.progress_message;
  reason := v_job.reason;
  error := v_job.error;
  select w.hostname into hostname from jobplane.workers w where w.worker_id = v_job.worker_id;
  if status = 'queued' then
    select r.tag into v_tag from jobplane.ready r where r.tenant_id = v_tenant and r.seq = v_seq;
    state := case when v_tag is not null then 'ready' when held_by is not null then 'held' else 'upcoming' end;
  else
    state := case when status = 'running' then 'leased' else 'ended' end;
  end if;
  select q.paused_at, q.paused_by, q.paused_reason into queue_paused_at, queue_paused_by, queue_paused_reason from jobplane.queues q where q.queue_id = v_queue;
  select t.paused_at, t.paused_by, t.paused_reason, t.max_in_flight into tenant_paused_at, tenant_paused_by, tenant_paused_reason, max_in_flight
    from jobplane.tenants t where t.tenant_id = v_tenant;
  select d.definition_id, d.kind, d.active, d.deleted_at, d.max_running, d.max_running_per_tenant
    into v_definition, kind, active, deleted_at, max_running, max_running_per_tenant from jobplane.definitions d where d.key = v_job.definition_key;
  has_definition := v_definition is not null;
  active := coalesce(active, false);
  v_any := kind is distinct from 'command';            -- a worker that names no definitions runs any but commands
  -- `worker_id > ''` holds for all, and lets the primary key serve.
  serving := (select count(*) from jobplane.workers w where w.worker_id > '' and w.last_seen_at > v_live and v_job.queue = any (w.queues));
  knowing := array(select w.worker_id from jobplane.workers w
                    where w.worker_id > '' and w.last_seen_at > v_live and v_job.queue = any (w.queues) and (w.definition_ids is null and v_any or v_definition = any (w.definition_ids))
                    order by w.worker_id limit v_ids);
  mismatched := array(select w.worker_id from jobplane.workers w
                       where not v_any and w.worker_id > '' and w.last_seen_at > v_live and v_job.queue = any (w.queues) and v_job.definition_key = any (w.mismatched)
                       order by w.worker_id limit v_ids);
  select w.worker_id, w.last_seen_at into last_worker_id, last_worker_seen_at from jobplane.workers w
   where w.worker_id > '' and w.last_seen_at <= v_live and v_job.queue = any (w.queues) and (w.definition_ids is null and v_any or v_definition = any (w.definition_ids))
   order by w.last_seen_at desc limit 1;
  tenant_used := coalesce((select l.used from jobplane.limits l where l.limit_key = 't/' || v_tenant), 0);
  definition_used := coalesce((select l.used from jobplane.limits l where l.limit_key = 'd/' || v_definition), 0);
  definition_tenant_used := coalesce((select l.used from jobplane.limits l where l.limit_key = 'dt/' || v_definition || '/' || v_tenant), 0);
  tenant_jobs := '{}';
  definition_jobs := '{}';
  own_running := 0;
  if status = 'queued' and max_in_flight is not null then
    tenant_jobs := array(select j.id from (select l.seq from jobplane.leases l where l.tenant_id = v_tenant and l.attempt_no > 0 limit v_ids) l,
                           lateral (select j.id from jobplane.jobs j where j.seq = l.seq and j.tenant_id = v_tenant offset 0) j);
  end if;
  if status = 'queued' and coalesce(max_running, max_running_per_tenant) is not null then
    own_running := (select count(*) from (select from jobplane.leases l where l.tenant_id = v_tenant and l.attempt_no > 0 and l.definition_id = v_definition limit v_cap) x);
    definition_jobs := array(select j.id from (select l.seq from jobplane.leases l
                                                where l.tenant_id = v_tenant and l.attempt_no > 0 and l.definition_id = v_definition limit v_ids) l,
                               lateral (select j.id from jobplane.jobs j where j.seq = l.seq and j.tenant_id = v_tenant offset 0) j);
  end if;
  if v_tag is not null then
    before := (select count(*) from (select from jobplane.ready r where r.tenant_id = v_tenant and r.queue_id = v_queue and r.priority = v_job.priority
                                        and r.tag is not null and r.tag < v_tag limit v_cap) x);
    lane_tenants := (select count(distinct x.tenant_id) from (
      select r.tenant_id from jobplane.ready r where r.queue_id = v_queue and r.priority = v_job.priority and r.seq > 0
         and r.tag >= coalesce((select c.low from jobplane.clocks c where c.queue_id = v_queue and c.priority = v_job.priority), 0) order by r.tag limit v_cap) x);
  end if;
  return next;
end $$;
