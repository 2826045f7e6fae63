-- pause_queues: a paused queue hands out nothing; its rows stay where they are, what runs, runs on
-- in:  names; a reason of up to 1000 characters, kept with the caller's name. Another reason replaces that of a queue that is paused already
-- out: the names that are there

-- statement: pause
update jobplane_queues set paused_at = coalesce(paused_at, ?), paused_by = ?, paused_reason = coalesce(?, paused_reason)
 where name in (select value from json_each(?)) and (paused_at is null or paused_reason is not coalesce(?, paused_reason)) returning name

-- statement: there
select name from jobplane_queues where name in (select value from json_each(?))
