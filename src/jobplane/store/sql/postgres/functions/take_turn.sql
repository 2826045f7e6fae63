-- take_turn: for how many seconds another process still has the turn at the upkeep; null: the caller does it. A turn lasts 5 s and is prolonged in time.
-- Every 6 to 9 s workers that listen are told: they hear, and somebody looks for jobs that nobody told them of, so they poll less. No more often, because
-- a notification is a transaction in the session of each that listens.
-- Nobody waits for the turn: its row may be locked by a session that keeps its transaction open, and then several do the upkeep. A turn that ends later than
-- any could, because the clock was put back, does not count.
create or replace function jobplane.take_turn(p_by text) returns float8 language plpgsql volatile as $$
declare
  v_now  constant timestamptz := jobplane.clock();
  v_turn constant interval := interval '5 s';
  v_row  jobplane.upkeep;
  v_told boolean;
begin
  if p_by is null then return null; end if;
  select * into v_row from jobplane.upkeep where one;
  if v_row.until between v_now and v_now + v_turn then
    if v_row.done_by <> p_by then return extract(epoch from v_row.until - v_now); end if;
    if v_row.until > v_now + v_turn * 0.6 then return null; end if;
  end if;
  v_told := v_row.told_at not between v_now - interval '6 s' and v_now;
  update jobplane.upkeep t set done_by = p_by, until = v_now + v_turn, told_at = case when v_told then v_now else t.told_at end
   where t.ctid = (select x.ctid from jobplane.upkeep x where x.one and x.until = v_row.until for update skip locked);
  if found and v_told then perform pg_notify('jobplane_wake', 'upkeep'); end if;
  return null;
end $$;
