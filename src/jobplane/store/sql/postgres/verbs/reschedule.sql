-- reschedule: another time for a waiting job; an ended one is started by retry
-- in:  job ids of the tenant that is set, the time, or seconds from now by the database's clock
-- out: job_id, outcome: queued | illegal_move | not_found, and the job's status now
-- owner: doors
-- for: app, admin
create or replace function jobplane.reschedule(p_ids uuid[], p_scheduled_for timestamptz default null, p_delay_seconds double precision default null)
returns table (job_id uuid, outcome text, status text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_at     constant timestamptz := jobplane.due_time(p_scheduled_for, p_delay_seconds, jobplane.clock());
  v_row    jobplane.upcoming;
  v_seq    bigint;
  v_done   text[] := '{}';
begin
  if v_at is null then
    raise exception 'The scheduled_for must be a time between the years 2000 and 9999, and the delay_seconds between 0 and 3153600000.' using errcode = 'JP002';
  end if;
  for job_id in select distinct i from unnest(p_ids) i order by i loop
    select j.seq into v_seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = job_id;
    outcome := case when found then null else 'not_found' end;
    status := null;
    for v_round in 1..100 loop
      exit when outcome is not null;
      select * into v_row from jobplane.take_waiting(v_tenant, v_seq);
      if found then
        v_row.scheduled_for := v_at;
        insert into jobplane.upcoming select v_row.*;
        update jobplane.jobs j set changed_at = jobplane.clock() where j.seq = v_seq;
        outcome := 'queued';
        v_done := v_done || job_id::text;
        status := 'queued';
        exit;
      end if;
      status := coalesce(jobplane.ending_of(v_tenant, v_seq)::text, case when exists (select from jobplane.leases l where l.seq = v_seq) then 'running' end);
      if status is not null then
        outcome := 'illegal_move';
      elsif not exists (select from jobplane.jobs j where j.seq = v_seq) then         -- it was removed meanwhile
        outcome := 'not_found';
      end if;
    end loop;
    if outcome is null then
      raise exception 'Job % changed state too often during the call. Try again.', job_id using errcode = '40001';
    end if;
    return next;
  end loop;
  perform jobplane.audit('rescheduleJob', v_tenant, v_done, p_facts => jsonb_build_object('scheduled_for', to_char(v_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))) where v_done <> '{}';
end $$;
