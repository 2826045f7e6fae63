-- list_attempts: the attempts of one job of the tenant that is set, the newest first; the one that runs is the lease. The last columns are those of a command
-- owner: doors
-- for: app, admin
create or replace function jobplane.list_attempts(p_id uuid, p_limit int default 100, p_before int default null)
returns table (attempt_no int, status text, outcome text, worker_id text, scheduled_for timestamptz, started_at timestamptz, finished_at timestamptz,
               exit_code int, reason text, error text, progress real, progress_message text, led_to text, pid int, signal int, user_ms bigint, system_ms bigint, max_rss_bytes bigint,
               stdout_bytes bigint, stderr_bytes bigint, bytes_dropped bigint)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_seq    bigint;
begin
  select j.seq into v_seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    raise exception 'There is no job %.', p_id using errcode = 'JP010';
  end if;
  return query
  select x.*, o.pid, o.signal, o.user_ms, o.system_ms, o.max_rss_bytes, o.stdout_bytes, o.stderr_bytes, o.bytes_dropped
    from (select l.attempt_no, 'running', null, l.worker_id, l.scheduled_for, l.started_at, null::timestamptz, null::int, null, null, l.progress, l.progress_message, null
    from jobplane.leases l where l.seq = v_seq and l.attempt_no < coalesce(p_before, 2147483647)
  union all (
    select a.attempt_no, case a.outcome when 'fatal' then 'failed' else a.outcome::text end, a.outcome::text, a.worker_id, a.scheduled_for, a.started_at, a.finished_at,
           a.exit_code, a.reason, a.error, a.progress, a.progress_message, a.led_to::text
      from jobplane.attempts a where a.seq = v_seq and a.attempt_no < coalesce(p_before, 2147483647)
     order by a.attempt_no desc limit least(greatest(p_limit, 1), 1000))) x
    left join lateral (select * from jobplane.outputs o where o.seq = v_seq and o.attempt_no = x.attempt_no offset 0) o on true
   order by x.attempt_no desc limit least(greatest(p_limit, 1), 1000);
end $$;
