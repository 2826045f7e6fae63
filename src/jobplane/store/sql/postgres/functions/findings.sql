-- findings: what keeps jobs from running or makes them fail, of one tenant or of all (null): paused queues and tenants with a backlog, work without a live worker,
-- lanes that wait for more than five minutes, dead letters of the last hour, schedules that are due for more than a minute. Each part is limited and served by an index; counts stop at 10,000
create or replace function jobplane.findings(p_tenant uuid)
returns table (code text, since timestamptz, queue text, definition_key text, tenant text, worker_id text, job_id uuid, pid int, name text, count bigint, by text, reason text,
               error text, tenants text[])
language plpgsql volatile as $$
#variable_conflict use_column
declare
  v_now        constant timestamptz := jobplane.clock();
  v_cap        constant int := 10000;
  v_served     constant text[] := array(select distinct u.name from jobplane.workers w, unnest(w.queues) u(name)
                                         where w.worker_id > '' and w.last_seen_at > v_now - interval '60 s');
  v_queues     int[] := '{}';
  v_priorities int[] := '{}';
  v_lows       bigint[] := '{}';
  v_queue      int := 0;
  v_priority   int := -1;
  v_gates      text[] := '{}';
  v_gate       text := 'w/';
  v_each       int;
begin
  return query
  select 'queue_paused', q.paused_at, q.name, null, null, null, null::uuid, null::int, null, b.n, q.paused_by, q.paused_reason, null, jobplane.slugs_of(p_tenant, b.ids)
    from (select * from jobplane.queues q where q.name > '' and q.paused_at is not null order by q.name limit 100) q
   cross join lateral jobplane.backlog_of(p_tenant, q.queue_id, v_cap) b
   where b.n > 0;
  return query
  select 'tenant_paused', t.paused_at, null, null, t.slug, null, null::uuid, null::int, null, b.n, t.paused_by, t.paused_reason, null,
         jobplane.slugs_of(p_tenant, array[t.tenant_id])
    from (select * from jobplane.tenants t where t.paused_at is not null and (p_tenant is null or t.tenant_id = p_tenant) order by t.tenant_id limit 100) t
   cross join lateral (select (select count(*) from (select from jobplane.ready r where r.tenant_id = t.tenant_id limit v_cap) x)
                            + (select count(*) from (select from jobplane.held h where h.tenant_id = t.tenant_id limit v_cap) x) as n) b
   where b.n > 0;
  if p_tenant is null then
    -- The lanes that claims know, from their low marks on, so that no dead rows are read; and one priority between them that no claim has seen yet.
    for v_queue in select q.queue_id from jobplane.queues q where q.name > '' order by q.name limit 5000 loop
      select v_queues || l.queues, v_priorities || l.priorities, v_lows || l.lows into v_queues, v_priorities, v_lows
        from (select array_agg(v_queue) as queues, array_agg(l.priority) as priorities, array_agg(l.low) as lows
                from (select coalesce(array_agg(c.priority order by c.priority), '{}') as lanes, array_agg(c.low order by c.priority) as lows
                        from jobplane.clocks c where c.queue_id = v_queue) c
               cross join lateral (select k.priority::int, k.low from unnest(c.lanes, c.lows) k(priority, low)
                                   union all
                                   select r.priority, r.tag from unnest('{-1}'::smallint[] || c.lanes, c.lanes || '{32767}'::smallint[]) g(after, before)
                                    cross join lateral (select r.priority::int, r.tag from jobplane.ready r
                                                         where r.queue_id = v_queue and r.seq > 0 and r.priority > g.after and r.priority < g.before
                                                         order by r.priority, r.tag limit 1) r) l) l;
    end loop;
    loop
      select h.gate into v_gate from jobplane.held h where h.gate > v_gate and h.gate < 'w0' order by h.gate limit 1;
      exit when not found or cardinality(v_gates) >= 1000;
      v_gates := v_gates || v_gate;
    end loop;
  else
    loop
      select r.queue_id, r.priority into v_queue, v_priority from jobplane.ready r
       where (r.tenant_id, r.queue_id, r.priority) > (p_tenant, v_queue, v_priority) and r.tenant_id = p_tenant and r.tag > -9223372036854775808
       order by r.tenant_id, r.queue_id, r.priority, r.tag limit 1;
      exit when not found;
      v_queues := v_queues || v_queue;
      v_priorities := v_priorities || v_priority;
      v_lows := v_lows || (-9223372036854775808);
    end loop;
    v_gates := array(select distinct h.gate from (select h.gate from jobplane.held h where h.tenant_id = p_tenant limit v_cap) h where h.gate >= 'w/' and h.gate < 'w0');
  end if;
  -- A job waits since it is due, and not before it was there. The next ten of a lane are among its oldest.
  return query
  select case when q.name = any (v_served) then 'slow_queue' else 'no_worker' end, o.since, q.name, null, null, null, null::uuid, null::int, null, b.n, null, null, null,
         jobplane.slugs_of(p_tenant, b.ids)
    from (select l.queue_id, min(greatest(r.scheduled_for, j.created_at)) as since
            from unnest(v_queues, v_priorities, v_lows) l(queue_id, priority, low)
           cross join lateral ((select r.seq, r.scheduled_for from jobplane.ready r
                                 where p_tenant is null and r.queue_id = l.queue_id and r.priority = l.priority and r.seq > 0 and r.tag >= l.low order by r.tag limit 10)
                               union all
                               (select r.seq, r.scheduled_for from jobplane.ready r
                                 where p_tenant is not null and r.tenant_id = p_tenant and r.queue_id = l.queue_id and r.priority = l.priority and r.tag is not null
                                 order by r.tag limit 10)) r
           cross join lateral (select j.created_at from jobplane.jobs j where j.seq = r.seq offset 0) j
           group by l.queue_id) o
   cross join lateral (select * from jobplane.queues q where q.queue_id = o.queue_id offset 0) q
   cross join lateral jobplane.backlog_of(p_tenant, q.queue_id, v_cap) b
   where q.paused_at is null and (q.name <> all (v_served) or o.since < v_now - interval '5 min')
   order by o.since limit 100;
  return query
  select 'no_worker', b.since, null, d.key, null, null, null::uuid, null::int, null, b.n, null, case when d.kind is null then 'unbound'
              when d.kind = 'command' and exists (select from jobplane.workers w where w.worker_id > '' and w.last_seen_at > v_now - interval '60 s' and d.key = any (w.mismatched))
              then 'policy_mismatch' end, null,
         jobplane.slugs_of(p_tenant, b.ids)
    from unnest(v_gates) g(gate)
   cross join lateral (select count(*) as n, min(x.scheduled_for) as since, array_agg(distinct x.tenant_id) as ids
                         from ((select h.tenant_id, h.scheduled_for, h.gate from jobplane.held h where p_tenant is null and h.gate = g.gate limit v_cap)
                               union all
                               (select h.tenant_id, h.scheduled_for, h.gate from jobplane.held h where p_tenant is not null and h.tenant_id = p_tenant limit v_cap)) x
                        where x.gate = g.gate) b
   cross join lateral (select * from jobplane.definitions d where d.definition_id = case when g.gate ~ '^w/[0-9]{1,9}$' then substr(g.gate, 3)::int end offset 0) d
   where jobplane.gate_room(g.gate, 1) = 0
   order by b.since limit 100;
  -- Of many tenants fewer each, so that no more than some ten thousand rows are read.
  v_each := greatest(20, 20000 / greatest((select count(*) from (select from jobplane.tenants t where p_tenant is null and t.slug > '' limit 5000) x), 20));
  return query
  select 'dead_letters', n.since, null, n.definition_key, null, null, n.job_id, null::int, null, n.n, null, null, a.error, jobplane.slugs_of(p_tenant, n.ids)
    from (select j.definition_key, min(e.finished_at) as since, count(*) as n, (array_agg(j.id order by e.finished_at desc, e.seq desc))[1] as job_id,
                 (array_agg(e.seq order by e.finished_at desc, e.seq desc))[1] as seq, array_agg(distinct e.tenant_id) as ids
            from (select t.tenant_id from jobplane.tenants t where t.slug > '' and (p_tenant is null or t.tenant_id = p_tenant) order by t.slug limit 5000) t
           cross join lateral (select * from (select e.tenant_id, e.seq, e.finished_at from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = 'dead_letter'
                                               order by e.tenant_id desc, e.status desc, e.seq desc limit v_each) e
                                where e.finished_at > v_now - interval '1 h') e
           cross join lateral (select j.id, j.definition_key from jobplane.jobs j where j.seq = e.seq offset 0) j
           group by j.definition_key order by n desc limit 100) n
    left join lateral (select a.error from jobplane.attempts a where a.seq = n.seq order by a.attempt_no desc limit 1) a on true;
  return query
  select 'schedule_late', n.since, null, d.key, null, null, n.trigger_id, null::int, n.label, n.n, null, null, null, jobplane.slugs_of(p_tenant, n.ids)
    from (select min(t.due_at) as since, count(*) as n, (array_agg(t.trigger_id order by t.due_at))[1] as trigger_id, (array_agg(t.label order by t.due_at))[1] as label,
                 (array_agg(t.definition_id order by t.due_at))[1] as definition_id, array_agg(distinct t.tenant_id) as ids
            from (select * from jobplane.triggers t where t.is_enabled and t.due_at < v_now - interval '60 s' and (p_tenant is null or t.tenant_id = p_tenant)
                   order by t.due_at limit v_cap) t) n
    left join lateral (select d.key from jobplane.definitions d where d.definition_id = n.definition_id offset 0) d on true
   where n.n > 0;
end $$;
