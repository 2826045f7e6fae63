-- claim: lease up to p_limit jobs of one queue, urgent ones first, fair between tenants; what a gate shuts moves to held
-- in:  queue, worker id, limit (1 to 1000), lease seconds (5 to 3600)
-- out: one row for each lease; a row without a job and more = true: ask again at once, it could not look at all that may run

-- statement: queue
select q.queue_id, q.paused_at is not null, q.turns, (select w.definitions from jobplane_workers w where w.worker_id = ?) from jobplane_queues q where q.name = ?

-- statement: lanes
-- The priorities that have something ready, one look for each.
with recursive lane (priority) as (
  select min(priority) from jobplane_ready where queue_id = ?
  union all
  select (select min(r.priority) from jobplane_ready r where r.queue_id = ? and r.priority > lane.priority) from lane where lane.priority is not null)
select priority from lane where priority is not null

-- statement: turn
update jobplane_queues set turns = turns + 1 where queue_id = ?

-- statement: look
-- The key of a job decides to which definition it belongs: where the row's id is that of another, or of none, its definition is gone.
select r.seq, r.tag, r.tenant_no, r.definition_id, r.expires_at, r.scheduled_for, r.attempt_no, r.attempts_left, r.priority, r.alone, t.tenant_id, t.max_in_flight,
       t.paused_at is not null, j.definition_key, d.definition_id is null, d.kind, d.active, d.max_running, d.max_running_per_tenant, d.isolation = 'process' or d.on_lost_contact = 'continue',
       d.on_lost_contact = 'continue'
  from (select * from jobplane_ready where queue_id = ? and priority = ? and (tag, seq) > (?, ?) order by tag, seq limit ?) r
 cross join jobplane_tenants t on t.tenant_no = r.tenant_no
 cross join jobplane_jobs j on j.seq = r.seq
  left join jobplane_definitions d on d.definition_id = r.definition_id and d.key = j.definition_key
 order by r.tag, r.seq

-- statement: lease
insert into jobplane_leases (seq, tenant_no, token, scheduled_for, started_at, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left,
                             interruptions, deduped, alone, worker_id, begun)
select r.seq, r.tenant_no, ?, r.scheduled_for, max(?, r.scheduled_for), ?, r.queue_id, r.definition_id, r.attempt_no + 1, r.priority, r.attempts_left - 1,
       r.interruptions, r.deduped, r.alone, ?, ?
  from json_each(?) x cross join jobplane_ready r on r.seq = x.value

-- statement: hold
insert into jobplane_held (seq, tag, tenant_no, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone,
                           gate, reason)
select r.seq, r.tag, r.tenant_no, r.scheduled_for, r.expires_at, r.queue_id, r.definition_id, r.attempt_no, r.priority, r.attempts_left, r.interruptions, r.deduped,
       r.alone, x.value ->> 1, x.value ->> 2
  from json_each(?) x cross join jobplane_ready r on r.seq = x.value ->> 0

-- statement: facts
select j.id, min(j.timeout_seconds, 2592000), j.payload, j.source, j.artifact_ref, j.correlation_id, j.trace_context, j.source_ref, j.created_by, j.trigger_id, j.planned_at
  from json_each(?) x cross join jobplane_jobs j on j.seq = x.value order by x.key
