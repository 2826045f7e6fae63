-- tick: move each lane's low mark. A transaction that is older than the mark may still commit a row below it; so the mark stays a tick behind the
-- clock, and a full look starts at the very beginning, takes the mark back if there is something, and opens the lanes that have no clock yet.
-- in:  whether this is a full look (every few seconds; else every 250 ms)
-- out: how many lanes moved
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.tick(p_full boolean default true) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_lane  jobplane.clocks;
  v_tag   bigint;
  v_moved int := 0;
begin
  if p_full then
    perform jobplane.open_lanes(queue_id) from jobplane.queues;
    insert into jobplane.lanes (queue_id, priority)      -- of clocks that were made while this schema was being migrated
    select c.queue_id, c.priority from jobplane.clocks c where not exists (select from jobplane.lanes l where (l.queue_id, l.priority) = (c.queue_id, c.priority))
    on conflict do nothing;
  end if;
  for v_lane in select * from jobplane.clocks order by queue_id, priority loop
    v_tag := jobplane.low_of(v_lane, p_full);
    continue when v_tag = v_lane.low and v_lane.mark = v_lane.v or not jobplane.lock_clock(v_lane.queue_id, v_lane.priority);
    update jobplane.clocks set low = v_tag, mark = v
     where ctid = (select ctid from jobplane.clocks where queue_id = v_lane.queue_id and priority = v_lane.priority for update skip locked);
    v_moved := v_moved + 1;
  end loop;
  return v_moved;
end $$;
