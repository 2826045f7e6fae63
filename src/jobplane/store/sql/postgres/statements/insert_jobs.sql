-- insert_jobs: the facts of the rows of r that are new. Only their source is cast here: of another row it may be none
insert into jobplane.jobs (seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
                           backoff_jitter, priority, max_attempts, source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
                           idempotency_key, definition_key, expires_at, tags, metadata, payload, triggered_by, trigger_id, planned_at) overriding system value
select seq, id, tenant_id, created_at, scheduled_for, definition_id, queue_id, timeout_seconds, backoff_base, backoff_factor, backoff_cap,
       backoff_jitter, priority, max_attempts, coalesce(source, 'manual')::jobplane.job_source, source_ref, correlation_id, created_by, trace_context, artifact_ref, dedupe_key,
       idempotency_key, definition_key, expires_at, case when tags is not null then array(select jsonb_array_elements_text(tags)) end, metadata, payload, triggered_by, trigger_id, planned_at
  from r where new;
