-- claim_lines: the old name of claim_encoded, for workers of the version before; it goes with the next version
-- in:  queue, worker id, limit (1 to 1000), lease seconds (5 to 3600); begun: the handlers start at once
-- out: as claim_encoded, with the jobs in the column lines
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.claim_lines(p_queue text, p_worker_id text, p_limit int default 1, p_lease_seconds int default 30,
                                                p_begun boolean default false)
returns table (seqs bigint[], attempt_nos int[], token uuid, alone bigint[], lasting bigint[], lines bytea, more boolean, lease_expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
begin
  return query
  select c.seqs, c.attempt_nos, c.token, c.alone, c.lasting, c.jobs, c.more, c.lease_expires_at
    from jobplane.claim_encoded(p_queue, p_worker_id, p_limit, p_lease_seconds, p_begun) c;
end $$;
