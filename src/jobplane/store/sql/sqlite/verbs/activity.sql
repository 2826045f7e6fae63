-- activity: what the jobs of the tenant that is set do now: the ten that ended last, the ten that run the longest, and the oldest that could run
-- out: a first row without a job: how many ended as failed or dead_letter in the last hour. Of each status the newest 5,000 jobs are looked at; is_capped: there are more.
--      Then a row for each job. Those that ended last are found among the newest 200 of each status

-- statement: failed
select count(*), coalesce(sum(finished_at > ?), 0) from (select finished_at from jobplane_endings where tenant_no = ? and status = ? order by seq desc limit ?)

-- statement: ended
select finished_at, seq from jobplane_endings where tenant_no = ? and status = ? order by seq desc limit ?

-- statement: running
select seq from (select seq, started_at from jobplane_leases where tenant_no = ? limit 10000) order by started_at, seq limit 10

-- statement: head
-- The first row of the tenant's next lane.
select queue_id, priority, scheduled_for, seq from jobplane_ready
 where tenant_no = ? and (queue_id, priority) > (?, ?) order by queue_id, priority, tag limit 1
