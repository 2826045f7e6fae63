-- edit: change a waiting job: payload, priority, queue, max_attempts, timeout_seconds, expires_at, tags, metadata; what the document does not name stays
-- in:  a job id of the tenant that is set, the changes as a JSON object
-- out: outcome: queued | illegal_move | not_found, and the job's status now. A change of queue or priority gives it a new tag, behind the jobs that wait there
-- owner: doors
-- for: app, admin
create or replace function jobplane.edit(p_id uuid, p_changes jsonb) returns table (job_id uuid, outcome text, status text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_row    jobplane.upcoming;
  v_job    jobplane.jobs;
  v_new    jobplane.jobs;
begin
  job_id := p_id;
  select * into v_job from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    outcome := 'not_found';
    return next;
    return;
  end if;
  for v_round in 1..100 loop
    select * into v_row from jobplane.take_waiting(v_tenant, v_job.seq);
    if found then
      select * into v_job from jobplane.jobs j where j.seq = v_job.seq;           -- again: another edit may have been first
      v_new := jobplane.changed_facts(v_job, p_changes);
      v_new.changed_at := jobplane.clock();
      update jobplane.jobs j
         set payload = v_new.payload, priority = v_new.priority, queue_id = v_new.queue_id, max_attempts = v_new.max_attempts, timeout_seconds = v_new.timeout_seconds,
             expires_at = v_new.expires_at, tags = v_new.tags, metadata = v_new.metadata, changed_at = v_new.changed_at
       where j.seq = v_job.seq;
      insert into jobplane.upcoming
      values (v_row.seq, v_tenant, v_row.scheduled_for, case when v_row.attempt_no = 0 then v_new.expires_at end, v_new.queue_id, v_row.definition_id, v_row.attempt_no,
              v_new.priority, greatest(v_row.attempts_left + v_new.max_attempts - v_job.max_attempts, 1), v_row.interruptions, v_row.deduped, v_row.alone);
      if v_new.expires_at is distinct from v_job.expires_at then
        delete from jobplane.expiring x where x.expires_at = v_job.expires_at and x.seq = v_job.seq;
        insert into jobplane.expiring select v_new.expires_at, v_job.seq, v_tenant where v_new.expires_at is not null;
      end if;
      perform jobplane.audit('editJob', v_tenant, array[p_id::text], to_jsonb(v_job) - 'changed_at', to_jsonb(v_new) - 'changed_at',
                             jsonb_build_object('fields', array(select jsonb_object_keys(p_changes) order by 1)));
      outcome := 'queued';
      status := 'queued';
      return next;
      return;
    end if;
    status := coalesce(jobplane.ending_of(v_tenant, v_job.seq)::text, case when exists (select from jobplane.leases l where l.seq = v_job.seq) then 'running' end);
    if status is not null or not exists (select from jobplane.jobs j where j.seq = v_job.seq) then         -- or it was removed meanwhile
      outcome := case when status is null then 'not_found' else 'illegal_move' end;
      return next;
      return;
    end if;
  end loop;
  raise exception 'Job % changed state too often during the call. Try again.', p_id using errcode = '40001';
end $$;
