-- read_logs: what one job of the tenant that is set has written, in order, over all its attempts
-- in:  the job; the attempt and the line after which to go on; limit 1 to 10000; follow: its worker is asked to send what is new at once, for the next 5 seconds
-- out: attempt_no, line (counts within the attempt), at, level, message, fields
-- owner: doors
-- for: app, admin
create or replace function jobplane.read_logs(p_id uuid, p_after_attempt int default 0, p_after_line int default 0, p_limit int default 1000, p_follow boolean default false)
returns table (attempt_no int, line int, at timestamptz, level text, message text, fields jsonb)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_now    constant timestamptz := jobplane.clock();
  v_seq    bigint;
begin
  if p_limit is null or p_limit not between 1 and 10000 then
    raise exception 'The limit must be between 1 and 10000, not %.', p_limit using errcode = 'JP002';
  end if;
  select j.seq into v_seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_id;
  if not found then
    raise exception 'There is no job %.', p_id using errcode = 'JP010';
  end if;
  if p_follow then                                      -- once in two seconds is enough, and a lease that somebody has locked is told the next time
    perform from jobplane.leases l where l.seq = v_seq and l.tenant_id = v_tenant and (l.followed_until is null or l.followed_until < v_now + interval '3 s')
        for update skip locked;
    if found then
      update jobplane.leases l set followed_until = v_now + interval '5 s' where l.seq = v_seq and l.tenant_id = v_tenant;
    end if;
  end if;
  return query
  /*statement:read_logs*/;
end $$;
