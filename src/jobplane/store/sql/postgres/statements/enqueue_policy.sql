-- enqueue_policy: all that one plain enqueue has to know, in one look: its tenant, its definition, and the end of the tenant's line
-- params: v_tenant uuid, p_definition text, p_priority int, p_max_attempts int, p_timeout_seconds int
-- into: v
select 1000000 / t.weight as step, t.max_pending, d.definition_id, d.active, d.queue_id, d.backoff_base, d.backoff_factor, d.backoff_cap, d.backoff_jitter,
       x.priority, greatest(least(coalesce(p_max_attempts, d.max_attempts), 1001), 0)::smallint as max_attempts,
       coalesce(p_timeout_seconds, d.timeout_seconds) as timeout_seconds, q.wanted_until, coalesce(c.v, 0) as v, n.last, n.first, n.count
  into v
  from jobplane.tenants t
  left join jobplane.definitions d on d.key = p_definition
  cross join lateral (select greatest(least(coalesce(p_priority, d.priority), 1001), -1)::smallint as priority) x
  left join jobplane.queues q on q.queue_id = d.queue_id
  left join jobplane.clocks c on c.queue_id = d.queue_id and c.priority = x.priority,
       lateral (select max(newest.tag) as last, min(newest.tag) as first, count(*) as count
                  from (select r.tag from jobplane.ready r
                         where (r.tenant_id, r.queue_id, r.priority, r.tag) > (v_tenant, d.queue_id, x.priority, coalesce(c.v, 0))
                           and (r.tenant_id, r.queue_id, r.priority, r.tag) < (v_tenant, d.queue_id, x.priority, 9223372036854775807)
                         order by r.tenant_id desc, r.queue_id desc, r.priority desc, r.tag desc limit 8) newest) n
 where t.tenant_id = v_tenant;
