-- list_hits: of some jobs those that fit all filters, and the last that was looked at. A text is looked for in ids, payload, tags, correlation id, the last error and the result;
-- when the time is over no further job is read. Leases are looked up by scalar subselects: an `exists` may be planned as a hash of the whole table
-- params: v_part bigint[], v_until timestamptz, v_text text, v_hex text, v_by_facts boolean, v_statuses text[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_source_ref text, p_worker_id text, p_tags text[], p_metadata jsonb, p_created_after timestamptz, p_created_before timestamptz, p_triggered_by text, p_trigger_id uuid
-- into: v_some, v_last
select coalesce(array_agg(h.seq) filter (where h.fits), '{}'), min(h.seq) into v_some, v_last
  from (select j.seq,
               (p_definitions is null or j.definition_key = any (p_definitions))
               and (p_queues is null or j.queue_id = any (array(select q.queue_id from jobplane.queues q where q.name = any (p_queues)
                                                                union all select x.queue_id from jobplane.deleted_queues x where x.name = any (p_queues))))
               and (p_correlation_id is null or j.correlation_id = p_correlation_id)
               and (p_source is null or j.source::text = p_source) and (p_source_ref is null or j.source_ref = p_source_ref)
               and (p_tags is null or j.tags @> p_tags) and (p_metadata is null or j.metadata @> p_metadata)
               and (p_created_after is null or j.created_at >= p_created_after) and (p_created_before is null or j.created_at < p_created_before)
               and (p_trigger_id is null or j.trigger_id = p_trigger_id)
               and (p_triggered_by is null or j.triggered_by ->> 'type' = p_triggered_by)
               and (not v_by_facts or coalesce(jobplane.ending_of(j.tenant_id, j.seq)::text,
                    case when (select l.seq from jobplane.leases l where l.seq = j.seq) is not null then 'running' else 'queued' end) = any (v_statuses))
               and (not v_by_facts or p_worker_id is null or (select l.worker_id from jobplane.leases l where l.seq = j.seq) = p_worker_id)
               and (v_text is null
                    or (v_hex is not null and (starts_with(replace(j.id::text, '-', ''), v_hex) or right(replace(j.id::text, '-', ''), length(v_hex)) = v_hex))
                    or strpos(lower(concat_ws(E'\n', j.correlation_id, array_to_string(j.tags, E'\n'), j.payload)), v_text) > 0
                    or strpos(lower((select a.error from jobplane.attempts a where a.seq = j.seq order by a.attempt_no desc limit 1)), v_text) > 0
                    or strpos(lower((select x.result::text from jobplane.results x where x.seq = j.seq)), v_text) > 0) as fits
          from unnest(v_part) s(seq), lateral (select * from jobplane.jobs j where j.seq = s.seq and clock_timestamp() < v_until offset 0) j offset 0) h;
