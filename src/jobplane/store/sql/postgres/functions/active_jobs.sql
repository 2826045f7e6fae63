-- active_jobs: the jobs of a trigger that wait or run, among its newest 100
create or replace function jobplane.active_jobs(p_tenant uuid, p_trigger_id uuid) returns uuid[] language sql stable as $$
  select coalesce(array_agg(j.id), '{}')
    from (select j.id, j.seq from jobplane.jobs j where j.tenant_id = p_tenant and j.trigger_id = p_trigger_id order by j.seq desc limit 100) j
   where not exists (select from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status)
                      where exists (select from jobplane.endings e where e.tenant_id = p_tenant and e.status = s.status and e.seq = j.seq))
$$;
