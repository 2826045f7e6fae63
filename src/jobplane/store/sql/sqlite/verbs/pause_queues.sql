-- pause_queues: a paused queue hands out nothing; its rows stay where they are, what runs, runs on
-- out: the names that are there

-- statement: pause
update jobplane_queues set paused_at = coalesce(paused_at, ?) where name in (select value from json_each(?)) returning name
