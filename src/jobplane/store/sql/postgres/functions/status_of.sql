-- status_of: the status of one job, by the table that holds it
create or replace function jobplane.status_of(p_tenant uuid, p_seq bigint) returns text language sql volatile as $$
  select coalesce(jobplane.ending_of(p_tenant, p_seq)::text, case when exists (select from jobplane.leases l where l.seq = p_seq) then 'running' else 'queued' end)
$$;
