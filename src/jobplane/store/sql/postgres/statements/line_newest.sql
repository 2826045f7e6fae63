-- line_newest: a tenant's newest waiting rows in one queue and priority
-- params: p_tenant uuid, p_queue int, p_priority smallint, p_now bigint, v_probe bigint
-- into: v_last, v_first, v_count
select max(newest.tag), min(newest.tag), count(*) into v_last, v_first, v_count
  from (select r.tag from jobplane.ready r
         where r.tenant_id = p_tenant and r.queue_id = p_queue and r.priority = p_priority and r.tag > p_now
         order by r.tag desc limit v_probe) newest;
