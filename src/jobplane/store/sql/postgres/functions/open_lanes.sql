-- open_lanes: the priorities of a queue that have rows but no clock yet. Looks between the known ones only, where no dead rows lie.
-- Enqueue makes no clock: its row would stay locked until the application commits.
create or replace function jobplane.open_lanes(p_queue int) returns int language plpgsql volatile as $$
declare
  v_after    int := -1;
  v_before   int;
  v_priority int;
  v_opened   int := 0;
begin
  while v_after < 32767 loop
    select coalesce(min(c.priority), 32767) into v_before from jobplane.clocks c where c.queue_id = p_queue and c.priority > v_after;
    loop
      select r.priority into v_priority from jobplane.ready r
       where r.queue_id = p_queue and r.seq > 0 and r.priority > v_after and r.priority < v_before order by r.queue_id, r.priority limit 1;
      exit when not found;
      perform jobplane.open_lane(p_queue, v_priority::smallint);
      v_opened := v_opened + 1;
      v_after := v_priority;
    end loop;
    v_after := v_before;
  end loop;
  return v_opened;
end $$;
