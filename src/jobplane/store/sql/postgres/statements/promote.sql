-- promote: take what came due out of upcoming, the longest due first; the time stands in for the tag until a new one is given (-infinity has no number)
-- params: v_now timestamptz, p_limit int
-- into: v_rows
with c as materialized (
  select ctid as tid from jobplane.upcoming where scheduled_for <= v_now order by scheduled_for limit p_limit for update skip locked),
d as (delete from jobplane.upcoming u using c where u.ctid = c.tid returning u.*)
select array_agg(row(seq, extract(epoch from greatest(scheduled_for, 'epoch')) * 1000000, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority,
                     attempts_left, interruptions, deduped, alone)::jobplane.ready)
  into v_rows from d;
