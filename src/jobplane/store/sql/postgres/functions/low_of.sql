-- low_of: where a lane's low mark belongs: at its first row, and a tick behind the clock. A full look starts at the very beginning.
create or replace function jobplane.low_of(p_lane jobplane.clocks, p_full boolean) returns bigint language plpgsql volatile as $$
declare
  v_tag bigint;
begin
  select tag into v_tag from jobplane.ready
   where queue_id = p_lane.queue_id and priority = p_lane.priority and seq > 0 and tag >= case when p_full then -9223372036854775808 else p_lane.low end
   order by tag limit 1;
  return least(v_tag, p_lane.mark);
end $$;
