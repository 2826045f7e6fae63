-- due_chores: which chores of the upkeep have something to do
-- in:  chores: promote, tick, expire, sweep, wake, reap; who asks: all the same here, where nobody takes turns
-- out: seconds until the next job comes due, whether each chore has something to do, and how many seconds the look took

-- statement: promote
select 1 from jobplane_upcoming where scheduled_for <= ? limit 1

-- statement: expire
select 1 from jobplane_expiring where expires_at <= ? limit 1

-- statement: reap
select 1 from jobplane_leases where expires_at < ? limit 1

-- statement: next
select min(scheduled_for) from jobplane_upcoming where scheduled_for > ?
