-- line_newest: a tenant's newest waiting rows in one queue and priority
-- as a row comparison: a planner that thinks ready is empty would walk through all tenants' rows
-- params: p_tenant uuid, p_queue int, p_priority smallint, p_now bigint, v_probe bigint
-- into: v_last, v_first, v_count
select max(newest.tag), min(newest.tag), count(*) into v_last, v_first, v_count
  from (select r.tag from jobplane.ready r
         where (r.tenant_id, r.queue_id, r.priority, r.tag) > (p_tenant, p_queue, p_priority, p_now)
           and (r.tenant_id, r.queue_id, r.priority, r.tag) < (p_tenant, p_queue, p_priority, 9223372036854775807)
         order by r.tenant_id desc, r.queue_id desc, r.priority desc, r.tag desc
         limit v_probe) newest;
