-- unheard_queues: queues that have jobs while idle workers wait for a notification. Mostly none: their claims follow within milliseconds.
create or replace function jobplane.unheard_queues() returns setof int language plpgsql volatile as $$
declare
  v_queue int;
  v_lane  jobplane.clocks;
begin
  for v_queue in select queue_id from jobplane.queues where wanted_until > jobplane.clock() and paused_at is null order by queue_id loop
    for v_lane in select * from jobplane.clocks where queue_id = v_queue order by queue_id, priority loop
      perform from jobplane.ready where queue_id = v_lane.queue_id and priority = v_lane.priority and seq > 0 and tag >= v_lane.low limit 1;
      if found then
        return next v_queue;
        exit;
      end if;
    end loop;
  end loop;
end $$;
