-- enqueue_rows: the rows that enqueue_many was given, each with its definition and the queue that it names
unnest(p_definitions, p_payloads, v_seqs, p_ids, p_queues, p_priorities, p_scheduled_fors, p_delays, p_expires_ats, p_dedupe_keys, p_on_duplicates,
       p_idempotency_keys, p_correlation_ids, p_tags, p_metadata, p_sources, p_source_refs, p_created_bys, p_trace_contexts, p_artifact_refs, p_max_attempts,
       p_timeouts, p_trigger_ids, p_planned_ats, p_backoffs, v_found, v_outcomes, v_faults) with ordinality
  u(definition, payload, given_seq, given_id, queue, asked_priority, asked_time, delay, expires_at, dedupe_key, on_duplicate, idempotency_key, correlation_id,
    tags, metadata, source, source_ref, created_by, trace_context, artifact_ref, asked_attempts, asked_timeout, trigger_id, planned_at, asked_backoff, found, outcome, judged, ord)
  left join jobplane.definitions d on d.key = u.definition
  left join jobplane.queues q on q.name = u.queue
