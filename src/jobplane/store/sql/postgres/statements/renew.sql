-- renew: prolong the leases that nobody else has locked
-- params: p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_progress real[], p_messages text[], v_now timestamptz, v_until timestamptz
with c as materialized (
  select l.tid, x.progress, x.message
    from unnest(p_seqs, p_attempt_nos, p_tokens, p_progress, p_messages) x(seq, no, token, progress, message),
         lateral (select l.ctid as tid from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token for update skip locked) l)
update jobplane.leases l
   set expires_at = v_until, renewed_at = v_now, progress = coalesce(c.progress, l.progress), progress_message = coalesce(c.message, l.progress_message)
  from c where l.ctid = c.tid
returning l.seq, case when l.cancel_requested_at is null then 'renewed' else 'cancel' end, l.expires_at;
