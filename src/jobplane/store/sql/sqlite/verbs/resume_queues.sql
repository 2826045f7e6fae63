-- resume_queues: hand out jobs again
-- out: the names that are there

-- statement: resume
update jobplane_queues set paused_at = null where name in (select value from json_each(?)) returning name
