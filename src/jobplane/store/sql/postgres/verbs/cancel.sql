-- cancel: at once if the job waits, a request if it runs; a job that is over stays as it is
-- in:  job ids of the tenant that is set, a reason
-- out: job_id, outcome: canceled | requested | ended | not_found, and the job's status now. Tries each state's table in turn, and starts again if the job moved while
--      we looked. A slot that it frees is given to the next by the sweep: a tenant's transaction touches no limit. The worker that runs the job is told once on channel
--      jobplane_wake, by its id, to ask soon; if it does not listen, it hears of it with its next renewal
-- owner: doors
-- for: app, admin, engine
create or replace function jobplane.cancel(p_ids uuid[], p_reason text default null) returns table (job_id uuid, outcome text, status text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_row    jobplane.upcoming;
  v_seq    bigint;
  v_key    text;
  v_worker text;
  v_is_new boolean;
  v_done   text[] := '{}';
begin
  foreach job_id in array p_ids loop
    select j.seq, j.dedupe_key into v_seq, v_key from jobplane.jobs j where j.tenant_id = v_tenant and j.id = job_id;
    outcome := case when found then null else 'not_found' end;
    status := null;
    for v_round in 1..100 loop
      exit when outcome is not null;
      select * into v_row from jobplane.take_waiting(v_tenant, v_seq);
      if found then
        insert into jobplane.endings values (v_seq, v_tenant, jobplane.clock(), v_row.attempt_no, 'canceled', v_row.attempts_left, p_reason);
        delete from jobplane.dedupe d where v_row.deduped and d.tenant_id = v_tenant and d.dedupe_key = v_key and d.seq = v_seq;
        outcome := 'canceled';
        v_done := v_done || job_id::text;
        status := 'canceled';
        exit;
      end if;
      select l.worker_id, l.cancel_requested_at is null into v_worker, v_is_new from jobplane.leases l where l.seq = v_seq for no key update;
      if found then
        if v_is_new then                                                       -- or who asks again and again would have all leases of the worker renewed each time
          update jobplane.leases l set cancel_reason = p_reason, cancel_requested_at = jobplane.clock() where l.seq = v_seq;
          perform pg_notify('jobplane_wake', 'cancel ' || v_worker);
          v_done := v_done || job_id::text;
        end if;
        outcome := 'requested';
        status := 'running';
        exit;
      end if;
      status := jobplane.ending_of(v_tenant, v_seq);
      if status is not null then
        outcome := 'ended';
      elsif not exists (select from jobplane.jobs j where j.seq = v_seq) then         -- it was removed meanwhile
        outcome := 'not_found';
      end if;
    end loop;
    if outcome is null then
      raise exception 'Job % changed state too often during the call. Try again.', job_id using errcode = '40001';
    end if;
    return next;
  end loop;
  perform jobplane.audit('cancelJob', v_tenant, v_done, p_facts => jsonb_strip_nulls(jsonb_build_object('reason', left(p_reason, 1000)))) where v_done <> '{}';
end $$;
