-- enqueue_faults: what is wrong with each row, its definition, and its time; looked at one by one only where a row has a key or its tenant a limit
-- into: v_faults, v_definition_ids, v_times
select array_agg(case when d.active and not v_facts and u.queue is null and u.scheduled_for is null and u.delay is null and u.expires_at is null
                              and jsonb_typeof(u.payload) = 'object' and octet_length(u.payload::text) < 128
                         then null
                         else jobplane.enqueue_fault(u.definition, d.definition_id is not null, d.active, u.queue, q.queue_id is not null, u.payload,
  jobplane.due_time(u.scheduled_for, u.delay, v_now), u.expires_at,
                                        case when v_facts then jobplane.facts_fault(u.priority, u.max_attempts, u.timeout, u.source, u.on_duplicate, u.tags, u.metadata,
                                          array[u.dedupe_key, u.idempotency_key, u.correlation_id, u.source_ref, u.created_by, u.artifact_ref, u.trace_context]) end) end order by u.ord),
       array_agg(d.definition_id order by u.ord),
       array_agg(jobplane.due_time(u.scheduled_for, u.delay, v_now) order by u.ord)
  into v_faults, v_definition_ids, v_times
  from unnest(p_definitions, p_payloads, p_queues, p_priorities, p_max_attempts, p_timeouts, p_sources, p_on_duplicates, p_tags, p_metadata, p_dedupe_keys,
              p_idempotency_keys, p_correlation_ids, p_source_refs, p_created_bys, p_artifact_refs, p_trace_contexts, p_scheduled_fors, p_delays, p_expires_ats) with ordinality
         u(definition, payload, queue, priority, max_attempts, timeout, source, on_duplicate, tags, metadata, dedupe_key, idempotency_key, correlation_id, source_ref,
           created_by, artifact_ref, trace_context, scheduled_for, delay, expires_at, ord)
  left join jobplane.definitions d on d.key = u.definition
  left join jobplane.queues q on q.name = u.queue;
