-- list_problems: what keeps jobs of any tenant from running or makes them fail, and what is wrong with the installation
-- in:  how many transactions a snapshot may be behind before it is a problem
-- out: one row for each problem: code (those of tenant_problems, worker_silent, held_snapshot), since when, what it is about, how many jobs or transactions are concerned,
--      and up to a hundred tenants. A row with the code clock has the database's time

-- statement: lane
-- The next lane.
select queue_id, priority from jobplane_ready where (queue_id, priority) > (?, ?) order by queue_id, priority, tag limit 1

-- statement: oldest
select min(max(r.scheduled_for, j.created_at))
  from (select seq, scheduled_for from jobplane_ready where queue_id = ? and priority = ? order by tag limit 10) r
 cross join jobplane_jobs j on j.seq = r.seq

-- statement: backlog
select count(*), json_group_array(distinct tenant_no) from (select tenant_no from jobplane_ready indexed by jobplane_ready_claim where queue_id = ? limit 10000)

-- statement: held
select count(*), min(scheduled_for), json_group_array(distinct tenant_no) from (select tenant_no, scheduled_for from jobplane_held where gate = ? limit 10000)

-- statement: tenants
select tenant_no, slug, paused_at, paused_by, paused_reason from jobplane_tenants order by tenant_no limit 5000

-- statement: queues
select queue_id, name, paused_at, paused_by, paused_reason from jobplane_queues

-- statement: waiting
select (select count(*) from (select 1 from jobplane_ready where tenant_no = ? limit 10000))
     + (select count(*) from (select 1 from jobplane_held where tenant_no = ? limit 10000))

-- statement: definition
select key, kind from jobplane_definitions where definition_id = ?

-- statement: dead
select j.definition_key, e.finished_at, e.seq, j.id
  from (select seq, finished_at from jobplane_endings where tenant_no = ? and status = 'dead_letter' order by seq desc limit ?) e
 cross join jobplane_jobs j on j.seq = e.seq
 where e.finished_at > ?

-- statement: error
select error from jobplane_attempts where seq = ? order by attempt_no desc limit 1

-- statement: silent
select w.worker_id, w.hostname, w.pid, w.last_seen_at, (select count(*) from (select 1 from jobplane_leases l where l.worker_id = w.worker_id limit 10000)) as n
  from jobplane_workers w where w.last_seen_at <= ? and (w.last_seen_at > ? or n > 0) order by w.last_seen_at desc, w.worker_id limit 100

-- statement: late
select t.trigger_id, t.label, t.due_at, d.key, t.tenant_no from jobplane_triggers t left join jobplane_definitions d on d.definition_id = t.definition_id
 where t.is_enabled and t.due_at is not null and t.due_at < ? order by t.due_at limit 10000
