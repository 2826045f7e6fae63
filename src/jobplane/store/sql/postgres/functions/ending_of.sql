-- ending_of: how a job ended, if it has; by the list's index, one probe for each status
create or replace function jobplane.ending_of(p_tenant uuid, p_seq bigint) returns text language sql volatile as $$
  select e.status from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
         lateral (select e.status from jobplane.endings e where e.tenant_id = p_tenant and e.status = s.status and e.seq = p_seq offset 0) e
$$;
