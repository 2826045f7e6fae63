-- ending_of: how a job ended, if it has; by the list's index, one probe for each status
create or replace function jobplane.ending_of(p_tenant uuid, p_seq bigint) returns jobplane.job_status language sql volatile as $$
  select e.status from jobplane.endings e
   where e.tenant_id = p_tenant and e.status = any ('{succeeded,failed,dead_letter,canceled}'::jobplane.job_status[]) and e.seq = p_seq
$$;
