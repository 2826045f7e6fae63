-- resume_queues: hand out jobs again
-- out: the names that are there

-- statement: resume
update jobplane_queues set paused_at = null, paused_by = null, paused_reason = null where name in (select value from json_each(?)) and paused_at is not null returning name

-- statement: there
select name from jobplane_queues where name in (select value from json_each(?))
