-- match_jobs: those of v_seqs that the filters of a list find
-- params: v_seqs bigint[], p_definitions text[], p_queues text[], p_correlation_id text, p_source text, p_source_ref text, p_tags text[], p_metadata jsonb, p_created_after timestamptz, p_created_before timestamptz, v_by_facts boolean, v_statuses text[], p_worker_id text
select j.seq from unnest(v_seqs) s(seq), lateral (select * from jobplane.jobs j where j.seq = s.seq offset 0) j
 where (p_definitions is null or j.definition_key = any (p_definitions))
   and (p_queues is null or j.queue_id = any (array(select q.queue_id from jobplane.queues q where q.name = any (p_queues)
                                                            union all select x.queue_id from jobplane.deleted_queues x where x.name = any (p_queues))))
   and (p_correlation_id is null or j.correlation_id = p_correlation_id)
   and (p_source is null or j.source::text = p_source) and (p_source_ref is null or j.source_ref = p_source_ref) and (p_tags is null or j.tags @> p_tags) and (p_metadata is null or j.metadata @> p_metadata)
   and (p_created_after is null or j.created_at >= p_created_after) and (p_created_before is null or j.created_at < p_created_before)
   and (not v_by_facts or coalesce(jobplane.ending_of(j.tenant_id, j.seq)::text,
        case when exists (select from jobplane.leases l where l.seq = j.seq) then 'running' else 'queued' end) = any (v_statuses))
   and (not v_by_facts or p_worker_id is null or exists (select from jobplane.leases l where l.seq = j.seq and l.worker_id = p_worker_id))
