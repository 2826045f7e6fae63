-- summarize_all: how many jobs of all tenants are in each status, counted up to 10,000 each for every tenant, and how long the oldest due one waits. Its time grows with what it
-- counts: ask for it every few seconds at most
-- owner: engine
-- for: admin
create or replace function jobplane.summarize_all()
returns table (queued bigint, running bigint, succeeded bigint, failed bigint, dead_letter bigint, canceled bigint, ready bigint, held bigint, upcoming bigint,
               oldest_due_seconds double precision, is_capped boolean)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_cap    constant int := 10000;
  v_now    constant timestamptz := jobplane.clock();
  v_oldest timestamptz;
  v_most   bigint;
  v_tenant uuid := '00000000-0000-0000-0000-000000000000';
  v_queue  int := 0;
  v_prio   int := -1;
  v_at     timestamptz;
begin
  select coalesce(sum(r.n), 0), coalesce(sum(h.n), 0), coalesce(sum(u.n), 0), coalesce(sum(l.n), 0), coalesce(sum(s.n), 0), coalesce(sum(f.n), 0), coalesce(sum(d.n), 0),
         coalesce(sum(c.n), 0), min(least(h.at, u.at)), max(greatest(r.n, h.n, u.n, l.n, s.n, f.n, d.n, c.n))
    into ready, held, upcoming, running, succeeded, failed, dead_letter, canceled, v_oldest, v_most
    from jobplane.tenants t,
         lateral (select count(*) as n from (select from jobplane.ready r where r.tenant_id = t.tenant_id limit v_cap) x) r,
         lateral (select count(*) as n, min(x.scheduled_for) as at from (select h.scheduled_for from jobplane.held h where h.tenant_id = t.tenant_id limit v_cap) x) h,
         lateral (select count(*) as n, min(x.scheduled_for) as at from (select u.scheduled_for from jobplane.upcoming u where u.tenant_id = t.tenant_id limit v_cap) x) u,
         lateral (select count(*) as n from (select from jobplane.leases l where l.tenant_id = t.tenant_id and l.attempt_no > 0 limit v_cap) x) l,
         lateral (select count(*) as n from (select from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = 'succeeded' limit v_cap) x) s,
         lateral (select count(*) as n from (select from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = 'failed' limit v_cap) x) f,
         lateral (select count(*) as n from (select from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = 'dead_letter' limit v_cap) x) d,
         lateral (select count(*) as n from (select from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = 'canceled' limit v_cap) x) c;
  loop                                                  -- the head of each line of each tenant
    select r.tenant_id, r.queue_id, r.priority, r.scheduled_for into v_tenant, v_queue, v_prio, v_at from jobplane.ready r
     where (r.tenant_id, r.queue_id, r.priority) > (v_tenant, v_queue, v_prio) and r.tag > -9223372036854775808
     order by r.tenant_id, r.queue_id, r.priority, r.tag limit 1;
    exit when not found;
    v_oldest := least(v_oldest, v_at);
  end loop;
  queued := ready + held + upcoming;
  oldest_due_seconds := case when v_oldest <= v_now then extract(epoch from v_now - greatest(v_oldest, 'epoch')) end;
  is_capped := v_most = v_cap;
  return next;
end $$;
