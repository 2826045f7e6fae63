-- promote: what came due goes from upcoming to ready; several may call it at once
-- in:  how many at most
-- out: how many became ready
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.promote(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now  timestamptz := jobplane.clock();
  v_rows jobplane.ready[];
begin
  /*statement:promote*/;
  if v_rows is null then return 0; end if;
  return jobplane.admit(v_rows);
end $$;
