-- enqueue_write: the facts and the first state of every row that is new, and an answer for each row. No cast may fail: one bad row would sink the others
with r as materialized (
  select u.ord, u.payload, u.expires_at, u.dedupe_key, u.idempotency_key, u.correlation_id, u.tags, u.metadata, u.source, u.source_ref, u.created_by,
         u.trace_context, u.artifact_ref, u.found, u.outcome, x.fault,
         d.definition_id, d.key as definition_key, d.backoff_base, d.backoff_factor, d.backoff_cap, d.backoff_jitter,
         coalesce(q.queue_id, d.queue_id) as queue_id, greatest(least(coalesce(u.priority, d.priority), 1001), -1)::smallint as priority,
         greatest(least(coalesce(u.max_attempts, d.max_attempts), 1001), 0)::smallint as max_attempts, coalesce(u.timeout, d.timeout_seconds) as timeout_seconds,
         jobplane.due_time(u.scheduled_for, u.delay, v_now) as scheduled_for,
         u.outcome is null and x.fault is null as new,
         coalesce(u.seq, nextval('jobplane.jobs_seq_seq')) as seq, coalesce(u.id, jobplane.new_id()) as id
    from unnest(p_definitions, p_payloads, v_seqs, p_ids, p_queues, p_priorities, p_scheduled_fors, p_delays, p_expires_ats, p_dedupe_keys, p_on_duplicates,
                p_idempotency_keys, p_correlation_ids, p_tags, p_metadata, p_sources, p_source_refs, p_created_bys, p_trace_contexts, p_artifact_refs, p_max_attempts,
                p_timeouts, v_found, v_outcomes, v_faults) with ordinality
           u(definition, payload, seq, id, queue, priority, scheduled_for, delay, expires_at, dedupe_key, on_duplicate, idempotency_key, correlation_id, tags,
             metadata, source, source_ref, created_by, trace_context, artifact_ref, max_attempts, timeout, found, outcome, judged, ord)
    left join jobplane.definitions d on d.key = u.definition
    left join jobplane.queues q on q.name = u.queue,
         lateral (select case when v_faults is not null then u.judged          -- looked at already, for its keys
                              when d.active and not v_facts and u.queue is null and u.scheduled_for is null and u.delay is null and u.expires_at is null
                              and jsonb_typeof(u.payload) = 'object' and octet_length(u.payload::text) < 128
                         then null
                         else jobplane.enqueue_fault(u.definition, d.definition_id is not null, d.active, u.queue, q.queue_id is not null, u.payload,
  jobplane.due_time(u.scheduled_for, u.delay, v_now), u.expires_at,
                    case when v_facts then jobplane.facts_fault(u.priority, u.max_attempts, u.timeout, u.source, u.on_duplicate, u.tags, u.metadata,
                      array[u.dedupe_key, u.idempotency_key, u.correlation_id, u.source_ref, u.created_by, u.artifact_ref, u.trace_context]) end) end as fault) x),
j as (
  insert into jobplane.jobs (seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
                             backoff_jitter, priority, max_attempts, source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
                             idempotency_key, definition_key, expires_at, tags, metadata, payload) overriding system value
  select seq, id, v_tenant.tenant_id, v_now, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
         backoff_jitter, priority, max_attempts, coalesce(source, 'manual')::jobplane.job_source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
         idempotency_key, definition_key, expires_at, case when tags is not null then array(select jsonb_array_elements_text(tags)) end, metadata, payload
    from r where new),
n as (
  select seq, scheduled_for, expires_at, queue_id, definition_id, priority, max_attempts, dedupe_key is not null as deduped,
         row_number() over (partition by queue_id, priority order by ord) as place
    from r where new and scheduled_for <= v_now),
g as materialized (
  select l.queue_id, l.priority, jobplane.line(l.queue_id, l.priority, v_tenant.tenant_id, coalesce(c.v, 0), v_step, l.n) as base
    from (select queue_id, priority, count(*) as n from n group by 1, 2) l left join jobplane.clocks c using (queue_id, priority)),
q as (
  insert into jobplane.ready (seq, tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
  select n.seq, g.base + v_step * n.place, v_tenant.tenant_id, n.scheduled_for, n.expires_at, n.queue_id, n.definition_id, 0, n.priority, n.max_attempts, 0,
         n.deduped, false
    from n join g using (queue_id, priority)),
u as (
  insert into jobplane.upcoming
  select seq, v_tenant.tenant_id, scheduled_for, expires_at, queue_id, definition_id, 0, priority, max_attempts, 0, dedupe_key is not null, false
    from r where new and scheduled_for > v_now),
e as (
  insert into jobplane.expiring (expires_at, seq, tenant_id) select expires_at, seq, v_tenant.tenant_id from r where new and expires_at is not null)
select r.ord, case when r.new then r.id else r.found end,
       case when r.new then 'created' when r.outcome in ('existing', 'replaced', 'postponed') then r.outcome else 'refused' end,
       case when not r.new and r.outcome is null then split_part(r.fault, ': ', 1) when r.outcome in ('idempotency_mismatch', 'quota_exceeded', 'duplicate_job') then r.outcome end,
       case when not r.new and r.outcome is null then substr(r.fault, position(': ' in r.fault) + 2)
            when r.outcome = 'idempotency_mismatch' then 'the idempotency key was used for another payload'
            when r.outcome = 'duplicate_job' then format('Job %s of another definition holds the dedupe key. Use another key, or leave on_duplicate out to get that job.', r.found)
            when r.outcome = 'quota_exceeded' then 'Job limit exceeded for tenant' end
  from r order by r.ord;
