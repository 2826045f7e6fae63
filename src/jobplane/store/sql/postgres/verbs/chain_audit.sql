-- chain_audit: append rows of the audit log to the chain of digests, so that a row that is changed or removed later shows
-- in:  how many at most
-- out: how many rows. 0 also while another call does it
-- The order of the chain is that in which rows were found. A transaction that commits late may have a smaller id than rows in the chain: its row comes later.
-- owner: engine
-- for: admin, scheduler
create or replace function jobplane.chain_audit(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_most    constant int := least(greatest(p_limit, 1), 10000);
  v_is_new  constant boolean := pg_current_xact_id_if_assigned() is null;
  v_last    constant bigint := coalesce(pg_sequence_last_value('jobplane.audit_log_audit_id_seq'), 0);      -- before the lock, which gives this transaction its number
  v_head    jobplane.audit_head;
  v_settled boolean;
  v_row     jobplane.audit_log;
  v_count   int := 0;
begin
  select * into v_head from jobplane.audit_head where one for update skip locked;
  if not found then return 0; end if;
  -- Who has an id up to the mark had a transaction number before mark_xid. Have all of those ended, the look below sees every row up to the mark.
  v_settled := v_head.mark_xid < pg_snapshot_xmin(pg_current_snapshot());
  for v_row in
    select a.* from jobplane.audit_log a
     where a.audit_id > v_head.low and not exists (select from jobplane.audit_chain c where c.audit_id = a.audit_id) order by a.audit_id limit v_most
  loop
    v_head.position := v_head.position + 1;
    v_head.digest := jobplane.audit_digest(v_head.digest, v_row);
    insert into jobplane.audit_chain (position, audit_id, digest, chained_at) values (v_head.position, v_row.audit_id, v_head.digest, jobplane.clock());
    v_count := v_count + 1;
  end loop;
  if v_settled and v_count < v_most then v_head.low := v_head.mark; end if;
  -- A number from another server, before a restore, says nothing here.
  if v_is_new and (v_head.mark_xid is null or v_head.low = v_head.mark or v_head.mark_xid > pg_current_xact_id()) then
    v_head.mark := v_last;
    v_head.mark_xid := pg_current_xact_id();
  end if;
  update jobplane.audit_head h set position = v_head.position, digest = v_head.digest, low = v_head.low, mark = v_head.mark, mark_xid = v_head.mark_xid where h.one;
  return v_count;
end $$;
