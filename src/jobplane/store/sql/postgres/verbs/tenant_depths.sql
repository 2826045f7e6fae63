-- tenant_depths: what waits, runs and has died of some tenants, counted up to 10,000 each, and how long the oldest due job of each waits
-- in:  ids of tenants, at most 1,000; one that is not there is left out
-- owner: engine
-- for: admin
create or replace function jobplane.tenant_depths(p_tenant_ids uuid[])
returns table (tenant_id uuid, ready bigint, held bigint, upcoming bigint, running bigint, dead_letter bigint, oldest_due_seconds double precision)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_cap    constant int := 10000;
  v_now    constant timestamptz := jobplane.clock();
  v_tenant uuid;
  v_oldest timestamptz;
  v_queue  int;
  v_prio   int;
  v_at     timestamptz;
begin
  if cardinality(p_tenant_ids) > 1000 then
    raise exception 'Cannot count the jobs of % tenants in one call. Ask for at most 1000 at a time.', cardinality(p_tenant_ids) using errcode = 'JP002';
  end if;
  for v_tenant in select t.tenant_id from unnest(p_tenant_ids) i(id), lateral (select t.tenant_id from jobplane.tenants t where t.tenant_id = i.id offset 0) t loop
    select count(*) into ready from (select from jobplane.ready r where r.tenant_id = v_tenant limit v_cap) x;
    select count(*), min(x.scheduled_for) into held, v_oldest from (select h.scheduled_for from jobplane.held h where h.tenant_id = v_tenant limit v_cap) x;
    select count(*), least(v_oldest, min(x.scheduled_for)) into upcoming, v_oldest
      from (select u.scheduled_for from jobplane.upcoming u where u.tenant_id = v_tenant limit v_cap) x;
    select count(*) into running from (select from jobplane.leases l where l.tenant_id = v_tenant and l.attempt_no > 0 limit v_cap) x;
    select count(*) into dead_letter from (select from jobplane.endings e where e.tenant_id = v_tenant and e.status = 'dead_letter' limit v_cap) x;
    v_queue := 0;
    v_prio := -1;
    loop                                                -- the first row of each of the tenant's lanes
      select r.queue_id, r.priority, r.scheduled_for into v_queue, v_prio, v_at from jobplane.ready r
       where (r.tenant_id, r.queue_id, r.priority) > (v_tenant, v_queue, v_prio) and r.tenant_id = v_tenant and r.tag > -9223372036854775808
       order by r.tenant_id, r.queue_id, r.priority, r.tag limit 1;
      exit when not found;
      v_oldest := least(v_oldest, v_at);
    end loop;
    oldest_due_seconds := case when v_oldest <= v_now then extract(epoch from v_now - greatest(v_oldest, 'epoch')) end;
    tenant_id := v_tenant;
    return next;
  end loop;
end $$;
