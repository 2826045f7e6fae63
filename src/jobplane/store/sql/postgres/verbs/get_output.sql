-- get_output: the resource use and the ends of stdout and stderr of a command, in one attempt of a job of the tenant that is set; no row where the attempt ran no command
-- owner: doors
-- for: app, admin
create or replace function jobplane.get_output(p_id uuid, p_attempt_no int)
returns table (pid int, signal int, user_ms bigint, system_ms bigint, max_rss_bytes bigint, stdout_tail text, stderr_tail text, stdout_bytes bigint,
               stderr_bytes bigint, bytes_dropped bigint)
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
  select o.pid, o.signal, o.user_ms, o.system_ms, o.max_rss_bytes, o.stdout_tail, o.stderr_tail, o.stdout_bytes, o.stderr_bytes, o.bytes_dropped
    from jobplane.outputs o where o.seq = v_seq and o.attempt_no = p_attempt_no;
end $$;
