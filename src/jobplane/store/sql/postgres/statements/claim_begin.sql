-- claim_begin: all that a claim has to know before it looks at a row: the queue and its lanes, and whether there is a priority beside them (looked for
-- between the lanes, where no dead rows lie); what the claimer knows, and which of that is there; who has a gate of its own
-- params: p_queue text, p_worker_id text
-- into: v_queue, v_paused, v_knows, v_there, v_tenants, v_definitions, v_lanes, v_lows, v_advances, v_unknown
select q.queue_id, q.paused_at is not null, w.definition_ids,
       case when w.definition_ids is not null then array(select d.definition_id from jobplane.definitions d where d.definition_id = any (w.definition_ids)) end,
       array(select t.tenant_id from jobplane.tenants t where t.max_in_flight is not null or t.paused_at is not null limit 65),
       array(select d.definition_id from jobplane.definitions d where d.max_running is not null or d.max_running_per_tenant is not null or not d.active limit 65),
       c.lanes, c.lows, c.advances,
       exists (select from unnest('{-1}' || c.lanes, c.lanes || '{32767}') g(after, before),
                 lateral (select from jobplane.ready r where r.queue_id = q.queue_id and r.seq > 0 and r.priority > g.after and r.priority < g.before limit 1) r)
  into v_queue, v_paused, v_knows, v_there, v_tenants, v_definitions, v_lanes, v_lows, v_advances, v_unknown
  from jobplane.queues q
  left join jobplane.workers w on w.worker_id = p_worker_id,
       lateral (select coalesce(array_agg(c.priority), '{}') as lanes, array_agg(c.low) as lows, array_agg(c.advanced_at) as advances
                  from (select * from jobplane.clocks c where c.queue_id = q.queue_id order by c.priority) c) c
 where q.name = p_queue;
