-- row_fault: what is wrong with a row of enqueue_rows, or null; a plain one is not looked at by a function
case when d.active and not v_facts and u.queue is null and u.asked_time is null and u.delay is null and u.expires_at is null
      and jsonb_typeof(u.payload) = 'object' and octet_length(u.payload::text) < 128
     then null
     else jobplane.enqueue_fault(u.definition, d.definition_id is not null, d.active, u.queue, q.queue_id is not null, u.payload,
            jobplane.due_time(u.asked_time, u.delay, v_now), u.expires_at,
            case when v_facts then jobplane.facts_fault(u.asked_priority, u.asked_attempts, u.asked_timeout, u.source, u.on_duplicate, u.tags, u.metadata,
              array[u.dedupe_key, u.idempotency_key, u.correlation_id, u.source_ref, u.created_by, u.artifact_ref, u.trace_context]) end) end
