-- summary: how many jobs of the tenant that is set are in each status, counted up to 10,000 each, and how long the oldest due one waits
-- owner: doors
-- for: app, admin
create or replace function jobplane.summary()
returns table (queued bigint, running bigint, succeeded bigint, failed bigint, dead_letter bigint, canceled bigint, ready bigint, held bigint, upcoming bigint,
               oldest_due_seconds double precision, is_capped boolean)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_cap    constant int := 10000;
  v_now    constant timestamptz := jobplane.clock();
  v_oldest timestamptz;
  v_queue  int := 0;
  v_prio   int := -1;
  v_at     timestamptz;
begin
  select count(*) into ready from (select from jobplane.ready r where r.tenant_id = v_tenant limit v_cap) x;
  select count(*), min(x.scheduled_for) into held, v_oldest from (select h.scheduled_for from jobplane.held h where h.tenant_id = v_tenant limit v_cap) x;
  select count(*), least(v_oldest, min(x.scheduled_for)) into upcoming, v_oldest from (select u.scheduled_for from jobplane.upcoming u where u.tenant_id = v_tenant limit v_cap) x;
  select count(*) into running from (select from jobplane.leases l where l.tenant_id = v_tenant and l.attempt_no > 0 limit v_cap) x;
  select count(*) filter (where x.status = 'succeeded'), count(*) filter (where x.status = 'failed'), count(*) filter (where x.status = 'dead_letter'),
         count(*) filter (where x.status = 'canceled') into succeeded, failed, dead_letter, canceled
    from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
         lateral (select e.status from jobplane.endings e where e.tenant_id = v_tenant and e.status = s.status limit v_cap) x;
  loop                                                  -- the first row of each of the tenant's lanes
    select r.queue_id, r.priority, r.scheduled_for into v_queue, v_prio, v_at from jobplane.ready r
     where (r.tenant_id, r.queue_id, r.priority) > (v_tenant, v_queue, v_prio) and r.tenant_id = v_tenant and r.tag > -9223372036854775808
     order by r.tenant_id, r.queue_id, r.priority, r.tag limit 1;
    exit when not found;
    v_oldest := least(v_oldest, v_at);
  end loop;
  queued := ready + held + upcoming;
  oldest_due_seconds := case when v_oldest <= v_now then extract(epoch from v_now - greatest(v_oldest, 'epoch')) end;
  is_capped := greatest(ready, held, upcoming, running, succeeded, failed, dead_letter, canceled) = v_cap;
  return next;
end $$;
