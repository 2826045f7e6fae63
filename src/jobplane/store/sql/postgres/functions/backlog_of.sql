-- backlog_of: how many jobs are ready in a queue, of one tenant or of all (null), counted up to p_cap, and whose they are
create or replace function jobplane.backlog_of(p_tenant uuid, p_queue int, p_cap int) returns table (n bigint, ids uuid[]) language sql stable as $$
  select count(*), array_agg(distinct x.tenant_id)
    from ((select r.tenant_id from jobplane.ready r where p_tenant is null and r.queue_id = p_queue and r.seq > 0 limit p_cap)
          union all
          (select r.tenant_id from jobplane.ready r where p_tenant is not null and r.tenant_id = p_tenant and r.queue_id = p_queue and r.tag is not null limit p_cap)) x
$$;
