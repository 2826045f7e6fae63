-- want_work: an idle worker asks for a wake-up. One file has no notifications: it polls, and learns which of its queues are there
-- in:  queue names, seconds (0 to 60)
-- out: the queues' ids

-- statement: find
select name, queue_id from jobplane_queues where name in (select value from json_each(?))
