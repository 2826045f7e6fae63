-- open_lane: a clock for a queue and priority, and the row that is locked to move it
create or replace function jobplane.open_lane(p_queue int, p_priority smallint) returns void language plpgsql volatile as $$
begin
  insert into jobplane.clocks (queue_id, priority) values (p_queue, p_priority) on conflict do nothing;
  insert into jobplane.lanes (queue_id, priority) values (p_queue, p_priority) on conflict do nothing;
end $$;
