-- lock_clock: whether this transaction alone may move a lane's clock; who may not leaves it. The row's own lock is not enough: SKIP LOCKED waits all the
-- same for who has locked the next version of a row, where the one before is committed in between. A claim that waited so, with limits locked, closed a circle.
create or replace function jobplane.lock_clock(p_queue int, p_priority smallint) returns boolean language sql volatile as $$
  select pg_try_advisory_xact_lock(74002, hashint8(p_queue * 1024::bigint + p_priority))
$$;
