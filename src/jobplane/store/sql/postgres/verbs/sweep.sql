-- sweep: every gate that has room lets some of its rows back to ready. settle does it at once for what it frees; this finds what a cancel, a resume,
-- a higher limit or a new worker left. Jobs whose definition was gone get the id of the one that has their key now.
-- in:  how many for each gate at most
-- out: how many rows moved
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.sweep(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_gate  text := '';
  v_moved int := jobplane.let_back('', p_limit);        -- which is no gate, and before all others
begin
  loop
    select gate into v_gate from jobplane.held where gate > v_gate order by gate limit 1;      -- the next gate, without a look at all it holds
    exit when not found;
    v_moved := v_moved + jobplane.let_back(v_gate, p_limit);
  end loop;
  return v_moved;
end $$;
