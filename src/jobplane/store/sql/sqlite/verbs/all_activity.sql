-- all_activity: what the jobs of all tenants do now: the ten that ended last, the ten that run the longest, the oldest that could run, and how busy the workers are. Its time grows
-- with the number of tenants: ask for it every few seconds at most
-- out: a first row without a job: how many ended as failed or dead_letter in the last hour, workers that were seen within a minute and those that were not, slots of the former and
--      how many of these are busy. Of each status some 20,000 jobs are looked at, the newest of each tenant, 20 at least; is_capped: some tenant has more. Then a row for each job

-- statement: running
select seq from (select seq, started_at from jobplane_leases limit 20000) order by started_at, seq limit 10

-- statement: workers
select coalesce(sum(live), 0), coalesce(sum(not live), 0), coalesce(sum(slots) filter (where live), 0), coalesce(sum(running_count) filter (where live), 0)
  from (select slots, running_count, last_seen_at > ? as live from jobplane_workers)
