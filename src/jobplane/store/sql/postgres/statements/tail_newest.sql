-- tail_newest: a tenant's newest waiting rows in one queue and priority: the last, and where they would end a step apart. A newcomer comes just before
-- the next round of the tenants that wait; rows that are all seen start now
-- params: p_tenant uuid, p_queue int, p_priority smallint, p_now bigint, p_step bigint, v_probe bigint
-- into: v_last, v_end
select max(newest.tag),
       case when count(*) = 0 then p_now - 1 when count(*) < v_probe then p_now + count(*) * p_step else min(newest.tag) + (count(*) - 1) * p_step end
  into v_last, v_end
  from (select r.tag from jobplane.ready r
         where r.tenant_id = p_tenant and r.queue_id = p_queue and r.priority = p_priority and r.tag > p_now
         order by r.tag desc limit v_probe) newest;
