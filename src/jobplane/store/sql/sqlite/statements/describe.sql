-- describe: whole jobs from their seqs: the facts, and what the table that holds each says of its state

-- statement: jobs
select j.id, t.tenant_id, j.definition_key, coalesce(q.name, (select y.name from jobplane_deleted_queues y where y.queue_id = j.queue_id)),
       case when r.seq is not null or h.seq is not null or u.seq is not null then 'queued' when l.seq is not null then 'running' else e.status end,
       coalesce(r.priority, h.priority, u.priority, l.priority, j.priority), j.payload, j.source, j.source_ref, j.correlation_id, j.created_by, j.trace_context,
       j.artifact_ref, j.dedupe_key, j.idempotency_key, j.tags, j.metadata, j.created_at,
       coalesce(r.scheduled_for, h.scheduled_for, u.scheduled_for, l.scheduled_for, a.scheduled_for, j.scheduled_for), j.expires_at,
       coalesce(l.started_at, case when e.seq is not null then a.started_at end),
       coalesce((select f.started_at from jobplane_attempts f where f.seq = j.seq order by f.attempt_no limit 1), l.started_at), e.finished_at,
       coalesce(r.attempt_no, h.attempt_no, u.attempt_no, l.attempt_no, e.attempt_no, 0),
       j.max_attempts - coalesce(r.attempts_left, h.attempts_left, u.attempts_left, l.attempts_left, e.attempts_left), j.max_attempts, j.timeout_seconds,
       coalesce(l.worker_id, case when e.seq is not null then a.worker_id end), l.expires_at, l.cancel_requested_at, l.cancel_reason, h.reason, e.reason, a.error,
       case when l.seq is not null then l.progress when e.status = 'succeeded' then 1.0 else a.progress end,
       case when l.seq is null then a.progress_message else l.progress_message end, x.result, case when e.status = 'canceled' then e.finished_at end,
       j.trigger_id, j.planned_at, j.triggered_by,
       max(j.created_at, coalesce(j.changed_at, 0), coalesce(r.scheduled_for, h.scheduled_for, 0), coalesce(l.started_at, 0), coalesce(l.renewed_at, 0),
           coalesce(l.cancel_requested_at, 0), coalesce(a.finished_at, 0), coalesce(e.finished_at, 0)), j.seq
  from json_each(?) i
  cross join jobplane_jobs j on j.seq = i.value
  cross join jobplane_tenants t on t.tenant_no = j.tenant_no
  left join jobplane_queues q on q.queue_id = j.queue_id
  left join jobplane_ready r on r.seq = j.seq
  left join jobplane_held h on h.seq = j.seq
  left join jobplane_upcoming u on u.seq = j.seq
  left join jobplane_leases l on l.seq = j.seq
  left join jobplane_endings e on e.tenant_no = j.tenant_no and e.status in ('succeeded', 'failed', 'dead_letter', 'canceled') and e.seq = j.seq
  left join jobplane_attempts a on a.seq = j.seq and a.attempt_no = (select max(m.attempt_no) from jobplane_attempts m where m.seq = j.seq)
  left join jobplane_results x on x.seq = j.seq
 order by i.key

-- statement: seqs
select j.seq, j.id from json_each(?) i cross join jobplane_jobs j on j.tenant_no = ? and j.id = i.value order by i.key

-- statement: tenant
select tenant_no from jobplane_tenants where tenant_id = ?

-- statement: states
select j.seq, j.id,
       coalesce((select e.status from jobplane_endings e
                  where e.tenant_no = j.tenant_no and e.status in ('succeeded', 'failed', 'dead_letter', 'canceled') and e.seq = j.seq),
                case when exists (select 1 from jobplane_leases l where l.seq = j.seq) then 'running' else 'queued' end)
  from json_each(?) i cross join jobplane_jobs j on j.tenant_no = ? and j.id = i.value
