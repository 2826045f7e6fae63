-- due_chores: which chores of the upkeep have something to do. Processes that name themselves take turns: one does the upkeep, the others look again later.
-- A call that asks for reap waits for a lock on the leases as a renewal does, so that the caller learns when nobody could renew.
-- in:  chores: promote, tick, expire, sweep, wake, reap; who asks (null: does the upkeep whoever else does it)
-- out: one row: for how many seconds another has the turn (null: nobody has), and if so nothing else; seconds until the next job comes due (null: none waits);
--      and in the order of the chores whether each has something to do, and how many seconds the look took
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.due_chores(p_chores text[], p_by text default null)
returns table (other_seconds float8, next_seconds float8, due boolean[], took float8[])
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now   timestamptz;
  v_began timestamptz;
  v_chore text;
begin
  if 'reap' = any (p_chores) then lock table jobplane.leases in row exclusive mode; end if;
  other_seconds := jobplane.take_turn(p_by);
  if other_seconds is null then
    v_now := jobplane.clock();
    select extract(epoch from scheduled_for - v_now) into next_seconds from jobplane.upcoming where scheduled_for > v_now order by scheduled_for limit 1;
    foreach v_chore in array p_chores loop
      v_began := clock_timestamp();
      due := due || jobplane.is_due(v_chore);
      took := took || extract(epoch from clock_timestamp() - v_began)::float8;
    end loop;
  end if;
  return next;
end $$;
