-- claim_encoded: a claim for a worker that passes jobs on unread: numbers to keep, and each job as one row of text
-- in:  queue, worker id, limit (1 to 1000), lease seconds (5 to 3600); begun: the handlers start at once
-- out: one row: seqs, attempt_nos, their one token; which of them run alone in a process of their own, and which of these go on when contact is lost;
--      the rows of text in the same order, joined by newlines; more: ask again at once; when the leases end. Nothing but more where there is no job
--      A row has these fields, separated by tabs: seq, attempt_no, definition_key, timeout_seconds or nothing, attempts_left, job_id, tenant_id, scheduled_for in microseconds
--      since 1970, source, artifact_ref, correlation_id, trace_context, source_ref, created_by, trigger_id, planned_at in microseconds, a priority other than 100 and, under undecodable, what Python cannot hold
--      (a scheduled_for beyond the years 1 to 9999, which is left out) as one JSON object or nothing, payload, cut after 16,777,216 characters
-- A lease that has not begun is refunded if it is reaped before a renewal says that it has.
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.claim_encoded(p_queue text, p_worker_id text, p_limit int default 1, p_lease_seconds int default 30,
                                                  p_begun boolean default false)
returns table (seqs bigint[], attempt_nos int[], token uuid, alone bigint[], lasting bigint[], jobs bytea, more boolean, lease_expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_token   constant uuid := gen_random_uuid();
  v_first   constant timestamptz := '0001-01-01Z';
  v_last    constant timestamptz := '9999-12-31Z';
  v_alone   int[];
  v_lasting int[];
begin
  select array_agg(d.definition_id), array_agg(d.definition_id) filter (where d.on_lost_contact = 'continue') into v_alone, v_lasting
    from jobplane.definitions d where d.isolation = 'process' or d.on_lost_contact = 'continue';
  return query
  select array_agg(t.seq) filter (where t.seq is not null), array_agg(t.attempt_no) filter (where t.seq is not null), v_token,
         array_agg(t.seq) filter (where t.alone or t.definition_id = any (v_alone)), array_agg(t.seq) filter (where t.definition_id = any (v_lasting)),
         convert_to(string_agg(concat(
           t.seq, e'\t', t.attempt_no, e'\t', (t.job).definition_key, e'\t', (t.job).timeout_seconds, e'\t', t.attempts_left, e'\t', (t.job).id, e'\t', t.tenant_id, e'\t',
           case when t.scheduled_for between v_first and v_last then (extract(epoch from t.scheduled_for) * 1000000)::bigint end, e'\t', (t.job).source, e'\t',
           case when t.priority <> 100 or coalesce((t.job).artifact_ref, (t.job).correlation_id, (t.job).trace_context, (t.job).source_ref, (t.job).created_by) is not null
                  or t.scheduled_for not between v_first and v_last or (t.job).trigger_id is not null or (t.job).planned_at is not null
                then jsonb_strip_nulls(jsonb_build_object(
             'artifact_ref', (t.job).artifact_ref, 'correlation_id', (t.job).correlation_id, 'trace_context', (t.job).trace_context, 'source_ref', (t.job).source_ref,
             'created_by', (t.job).created_by, 'trigger_id', (t.job).trigger_id,
             'planned_at', case when (t.job).planned_at between v_first and v_last then (extract(epoch from (t.job).planned_at) * 1000000)::bigint end,
             'priority', nullif(t.priority, 100), 'undecodable', case when t.scheduled_for not between v_first and v_last then '["scheduled_for"]'::jsonb end)) end, e'\t',
           left((t.job).payload::text, 16777216)), e'\n') filter (where t.seq is not null), 'utf8'),
         coalesce(bool_or(t.more), false), max(t.lease_expires_at)
    from jobplane.take(p_queue, p_worker_id, p_limit, p_lease_seconds, coalesce(p_begun, false), v_token) t;
end $$;
