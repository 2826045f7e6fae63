-- is_due: whether a chore of the upkeep has something to do
create or replace function jobplane.is_due(p_chore text) returns boolean language plpgsql volatile as $$
declare
  v_now  constant timestamptz := jobplane.clock();
  v_lane jobplane.clocks;
  v_gate text := '';
begin
  case p_chore
  when 'promote' then
    return exists (select from jobplane.upcoming where scheduled_for <= v_now);
  when 'expire' then
    return exists (select from jobplane.expiring where expires_at <= v_now);
  when 'reap' then
    perform from jobplane.leases where expires_at < v_now order by seq limit 1;      -- by an index: enable_seqscan is off
    return found;
  when 'wake' then
    return exists (select from jobplane.unheard_queues());
  when 'tick' then
    for v_lane in select * from jobplane.clocks order by queue_id, priority loop
      if v_lane.mark <> v_lane.v or jobplane.low_of(v_lane, false) <> v_lane.low then return true; end if;
    end loop;
  when 'sweep' then
    loop
      select gate into v_gate from jobplane.held where gate > v_gate order by gate limit 1;
      exit when not found;
      if jobplane.gate_room(v_gate, 1) > 0 then return true; end if;
    end loop;
  else
    raise exception 'There is no chore "%".', p_chore using errcode = 'JP002';
  end case;
  return false;
end $$;
