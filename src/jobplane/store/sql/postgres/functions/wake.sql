-- wake: tell idle workers that a queue has work. NOTIFY makes commits queue up one behind the other (0.43 of the rate with one in each), so at most
-- two are in flight for each queue: whoever finds both places taken stays silent, because one of those commits is still to come and wakes the same
-- workers. Two, because an application may keep its transaction, and with it its place, open for a minute.
create or replace function jobplane.wake(p_queue int) returns void language plpgsql volatile as $$
begin
  for v_place in 0..1 loop
    if pg_try_advisory_xact_lock(74000 + v_place, p_queue) then
      perform pg_notify('jobplane_wake', p_queue::text);
      return;
    end if;
  end loop;
end $$;
