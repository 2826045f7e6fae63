-- enqueue_write: the facts and the first state of every row that is new, and an answer for each row. No cast may fail: one bad row would sink the others
with r as materialized (
  select u.ord, u.payload, u.expires_at, u.dedupe_key, u.idempotency_key, u.correlation_id, u.tags, u.metadata, u.source, u.source_ref, u.created_by,
         u.trace_context, u.artifact_ref, u.found, u.outcome, v_tenant.tenant_id, v_now as created_at, v_by as triggered_by, d.definition_id, d.key as definition_key, u.trigger_id, u.planned_at,
         coalesce((u.asked_backoff ->> 'base')::real, d.backoff_base) as backoff_base, coalesce((u.asked_backoff ->> 'factor')::real, d.backoff_factor) as backoff_factor,
         coalesce((u.asked_backoff ->> 'cap')::real, d.backoff_cap) as backoff_cap, coalesce((u.asked_backoff ->> 'jitter')::real, d.backoff_jitter) as backoff_jitter,
         coalesce(q.queue_id, d.queue_id) as queue_id, greatest(least(coalesce(u.asked_priority, d.priority), 1001), -1)::smallint as priority,
         greatest(least(coalesce(u.asked_attempts, d.max_attempts), 1001), 0)::smallint as max_attempts,
         coalesce(u.asked_timeout, d.timeout_seconds) as timeout_seconds, jobplane.due_time(u.asked_time, u.delay, v_now) as scheduled_for,
         x.fault, u.outcome is null and x.fault is null as new,
         coalesce(u.given_seq, nextval('jobplane.jobs_seq_seq')) as seq, coalesce(u.given_id, jobplane.new_id()) as id
    from /*statement:enqueue_rows*/,
         lateral (select case when v_faults is not null then u.judged          -- looked at already, for its keys
                              else /*statement:row_fault*/ end as fault) x),
j as (
  /*statement:insert_jobs*/),
l as (
  select seq, scheduled_for, expires_at, queue_id, definition_id, priority, max_attempts, dedupe_key is not null as deduped,
         row_number() over (partition by queue_id, priority order by ord) as place
    from r where new and scheduled_for <= v_now),
g as materialized (
  select l.queue_id, l.priority, jobplane.find_tail(l.queue_id, l.priority, v_tenant.tenant_id, coalesce(c.v, 0), v_step, l.n) as base
    from (select queue_id, priority, count(*) as n from l group by 1, 2) l left join jobplane.clocks c using (queue_id, priority)),
n as (
  select l.*, g.base + v_step * l.place as new_tag, v_tenant.tenant_id, 0 as attempt_no, max_attempts as attempts_left, 0 as interruptions, false as alone
    from l join g using (queue_id, priority)),
q as (
  /*statement:insert_ready*/),
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
            when r.outcome = 'idempotency_mismatch' then 'The idempotency key was used for another payload. Use a new key for a new job.'
            when r.outcome = 'duplicate_job' then format('Job %s of another definition holds the dedupe key. Use another key, or leave on_duplicate out to get that job.', r.found)
            when r.outcome = 'quota_exceeded' then 'Job limit exceeded for tenant' end
  from r order by r.ord;
