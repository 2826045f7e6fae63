-- rebind: the first p_n rows that wait for a definition of their key, which is there now, get its id
create or replace function jobplane.rebind(p_gate text, p_n int) returns void language plpgsql volatile as $$
declare
  v_id   constant int := (select d.definition_id from jobplane.definitions d where d.key = substr(p_gate, 3));
  v_seqs bigint[];
begin
  with c as materialized (
    select ctid as tid from jobplane.held where gate = p_gate order by priority, tag limit p_n for update skip locked),
  u as (update jobplane.held h set definition_id = v_id from c where h.ctid = c.tid returning h.seq)
  select array_agg(u.seq) into v_seqs from u;
  update jobplane.jobs j set definition_id = v_id where j.seq = any (v_seqs) and j.definition_id <> v_id;
end $$;
