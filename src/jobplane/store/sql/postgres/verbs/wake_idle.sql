-- wake_idle: tell idle workers of queues that have jobs. Whoever makes a job ready tells them, but not always: of many at the same moment two do, and any login can
-- hold the locks that choose the two.
-- out: how many queues were named
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.wake_idle() returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set jit = off set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  v_queues constant int[] := array(select jobplane.unheard_queues());
begin
  perform pg_notify('jobplane_wake', q::text) from unnest(v_queues) q;
  return cardinality(v_queues);
end $$;
