-- list_problems: what keeps jobs of any tenant from running or makes them fail, and what is wrong with the installation
-- in:  how many transactions a snapshot may be behind before it is a problem
-- out: one row for each problem: code (those of tenant_problems, worker_silent, held_snapshot), since when, what it is about, how many jobs or transactions are concerned,
--      and up to a hundred tenants. A row with the code clock has the database's time
-- owner: engine
-- for: admin
create or replace function jobplane.list_problems(p_transactions int default 100000)
returns table (code text, since timestamptz, queue text, definition_key text, tenant text, worker_id text, job_id uuid, pid int, name text, count bigint, by text, reason text,
               error text, tenants text[])
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now     constant timestamptz := jobplane.clock();
  v_holders text[];
begin
  return query select * from jobplane.findings(null);
  if exists (select from jobplane.workers w where w.worker_id > '' and w.last_seen_at <= v_now - interval '60 s') then
    v_holders := array(select l.worker_id from jobplane.leases l where l.seq > 0 order by l.seq limit 20000);
    return query
    select 'worker_silent', w.last_seen_at, null, null, null, w.worker_id, null::uuid, w.pid, w.hostname, h.n, null, null, null, '{}'::text[]
      from jobplane.workers w
     cross join lateral (select count(*) as n from unnest(v_holders) h(id) where h.id = w.worker_id) h
     where w.worker_id > '' and w.last_seen_at <= v_now - interval '60 s' and (w.last_seen_at > v_now - interval '1 h' or h.n > 0)
     order by w.last_seen_at desc, w.worker_id limit 100;
  end if;
  return query
  select 'held_snapshot', null::timestamptz, null, null, null, null, null::uuid, s.pid, s.name, age(s.xmin::xid)::bigint, s.login, s.kind, null, '{}'::text[]
    from jobplane.held_snapshots() s where age(s.xmin::xid) > p_transactions order by 10 desc limit 20;
  return query                                          -- of the machine's own clock: it is compared with the caller's, and decides nothing here
  select 'clock', clock_timestamp(), null, null, null, null, null::uuid, null::int, null, 0::bigint, null, null, null, '{}'::text[];
end $$;
