-- retry: a person's second chance for a job that failed, died or was canceled: fresh budget, attempt_no goes on counting
-- in:  job ids of the tenant that is set; another max_attempts, or null
-- out: job_id, outcome: queued | illegal_move (it is active, or succeeded) | duplicate_job (another active job has its dedupe key) | quota_exceeded |
--      definition_inactive | unknown_queue (its queue was deleted) | not_found, and the job's status now
-- owner: doors
-- for: app, admin
create or replace function jobplane.retry(p_ids uuid[], p_max_attempts int default null) returns table (job_id uuid, outcome text, status text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant  constant uuid := jobplane.current_tenant();
  v_pending int;
  v_job     jobplane.jobs;
  v_ending  jobplane.endings;
  v_id      int;
  v_active  boolean;
  v_done    text[] := '{}';
begin
  if p_max_attempts not between 1 and 1000 then
    raise exception 'The max_attempts must be between 1 and 1000, not %.', p_max_attempts using errcode = 'JP002';
  end if;
  select t.max_pending into v_pending from jobplane.tenants t where t.tenant_id = v_tenant;
  if v_pending is not null then perform jobplane.lock_pending(v_tenant); end if;
  for job_id in select distinct i from unnest(p_ids) i order by i loop
    select * into v_job from jobplane.jobs j where j.tenant_id = v_tenant and j.id = job_id;
    if not found then
      outcome := 'not_found';
      status := null;
      return next;
      continue;
    end if;
    select d.definition_id, d.active into v_id, v_active from jobplane.definitions d where d.key = v_job.definition_key;
    -- First lock, then look: who waited for another's retry finds no ending any more.
    select e.* into v_ending from unnest('{failed,dead_letter,canceled}'::text[]) s(status),
           lateral (select * from jobplane.endings e where e.tenant_id = v_tenant and e.status = s.status and e.seq = v_job.seq for update) e;
    if not found and not exists (select from jobplane.jobs j where j.seq = v_job.seq) then         -- it was removed while we waited
      outcome := 'not_found';
      status := null;
    elsif v_ending.seq is null then
      outcome := 'illegal_move';
      status := coalesce(jobplane.ending_of(v_tenant, v_job.seq)::text, case when exists (select from jobplane.leases l where l.seq = v_job.seq) then 'running' else 'queued' end);
    elsif not v_active then                            -- null: its definition is gone, and the claim holds it
      outcome := 'definition_inactive';
      status := v_ending.status;
    elsif not exists (select from jobplane.queues q where q.queue_id = v_job.queue_id) then
      outcome := 'unknown_queue';
      status := v_ending.status;
    elsif v_pending is not null and jobplane.pending_room(v_tenant, v_pending) < 1 then
      outcome := 'quota_exceeded';
      status := v_ending.status;
    elsif v_job.dedupe_key is not null and jobplane.hold_dedupe(v_tenant, v_job.dedupe_key, v_job.seq) is not null then
      outcome := 'duplicate_job';
      status := v_ending.status;
    else
      delete from jobplane.endings e where e.tenant_id = v_tenant and e.status = v_ending.status and e.seq = v_job.seq;
      insert into jobplane.upcoming
      values (v_job.seq, v_tenant, jobplane.clock(), null, v_job.queue_id, coalesce(v_id, 0), v_ending.attempt_no, v_job.priority,
              coalesce(p_max_attempts, v_job.max_attempts), 0, v_job.dedupe_key is not null, false);
      update jobplane.jobs j set max_attempts = coalesce(p_max_attempts, j.max_attempts), changed_at = jobplane.clock() where j.seq = v_job.seq;
      outcome := 'queued';
      v_done := v_done || job_id::text;
      status := 'queued';
    end if;
    return next;
  end loop;
  perform jobplane.audit('retryJob', v_tenant, v_done, p_facts => jsonb_strip_nulls(jsonb_build_object('max_attempts', p_max_attempts))) where v_done <> '{}';
end $$;
