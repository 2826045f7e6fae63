-- describe: whole jobs from their seqs: the facts, and what the table that holds each says of its state. One snapshot, so each is found in one of them.
create or replace function jobplane.describe(p_tenant uuid, p_seqs bigint[]) returns setof jobplane.job language sql stable as $$
  select j.id, j.tenant_id, j.definition_key, coalesce(q.name, (select x.name from jobplane.deleted_queues x where x.queue_id = j.queue_id)),
         case when r.seq is not null or h.seq is not null or u.seq is not null then 'queued' when l.seq is not null then 'running' else e.status end,
         coalesce(r.priority, h.priority, u.priority, l.priority, j.priority)::int, j.payload, j.source::text, j.source_ref, j.correlation_id, j.created_by, j.trace_context,
         j.artifact_ref, j.dedupe_key, j.idempotency_key, coalesce(j.tags, '{}'), coalesce(j.metadata, '{}'), j.created_at,
         coalesce(r.scheduled_for, h.scheduled_for, u.scheduled_for, l.scheduled_for, a.scheduled_for, j.scheduled_for), j.expires_at,
         coalesce(l.started_at, case when e.seq is not null then a.started_at end), coalesce(f.started_at, l.started_at), e.finished_at,
         coalesce(r.attempt_no, h.attempt_no, u.attempt_no, l.attempt_no, e.attempt_no, 0),
         j.max_attempts::int - coalesce(r.attempts_left, h.attempts_left, u.attempts_left, l.attempts_left, e.attempts_left), j.max_attempts::int, j.timeout_seconds,
         coalesce(l.worker_id, case when e.seq is not null then a.worker_id end), l.expires_at, l.cancel_requested_at, l.cancel_reason, h.reason, e.reason, a.error,
         case when l.seq is not null then l.progress when e.status = 'succeeded' then 1 else a.progress end,
         case when l.seq is null then a.progress_message else l.progress_message end, x.result, j.seq,
         case when e.status = 'canceled' then e.finished_at end, j.created_at,
         j.trigger_id, j.planned_at, j.triggered_by, 
         greatest(j.created_at, j.changed_at, r.scheduled_for, h.scheduled_for, l.started_at, l.renewed_at, l.cancel_requested_at, a.finished_at, e.finished_at)
    from unnest(p_seqs) with ordinality i(seq, ord)
    join lateral (select * from jobplane.jobs j where j.seq = i.seq and j.tenant_id = p_tenant offset 0) j on true
    left join lateral (select * from jobplane.queues q where q.queue_id = j.queue_id offset 0) q on true
    left join lateral (select * from jobplane.ready r where r.tenant_id = p_tenant and r.seq = i.seq offset 0) r on true
    left join lateral (select * from jobplane.held h where h.tenant_id = p_tenant and h.seq = i.seq offset 0) h on true
    left join lateral (select * from jobplane.upcoming u where u.tenant_id = p_tenant and u.seq = i.seq offset 0) u on true
    left join lateral (select * from jobplane.leases l where l.seq = i.seq offset 0) l on true
    left join lateral (select e.* from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
                              lateral (select * from jobplane.endings e where e.tenant_id = p_tenant and e.status = s.status and e.seq = i.seq offset 0) e offset 0) e on true
    left join lateral (select * from jobplane.attempts a where a.seq = i.seq order by a.attempt_no desc limit 1) a on true
    left join lateral (select * from jobplane.attempts f where f.seq = i.seq order by f.attempt_no limit 1) f on true
    left join lateral (select * from jobplane.results x where x.seq = i.seq offset 0) x on true
   order by i.ord
$$;
