-- lock_clock: whether this transaction alone may move a lane's clock; who may not leaves it. The clock's own row does not serve as the lock: SKIP LOCKED waits all
-- the same for who has locked the next version of a row, where the one before is committed in between. A claim that waited so, with limits locked, closed a
-- circle. A row of lanes is never changed, so it has no next version.
create or replace function jobplane.lock_clock(p_queue int, p_priority smallint) returns boolean language sql volatile as $$
  select coalesce((select true from jobplane.lanes l where l.queue_id = p_queue and l.priority = p_priority for update skip locked), false)
$$;
