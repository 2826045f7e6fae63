-- renew_all: prolong the leases that nobody else has locked, and note which have begun
-- params: p_seqs bigint[], p_attempt_nos int[], p_tokens uuid[], p_begun boolean[], p_progress real[], p_messages text[], v_now timestamptz, v_until timestamptz
-- into: v_count, v_canceled, v_followed
with c as materialized (
  select l.tid, x.begun, x.progress, x.message
    from unnest(p_seqs, p_attempt_nos, p_tokens, p_begun, p_progress, p_messages) x(seq, no, token, begun, progress, message),
         lateral (select l.ctid as tid from jobplane.leases l where l.seq = x.seq and l.attempt_no = x.no and l.token = x.token for update skip locked) l),
u as (
  update jobplane.leases l
     set expires_at = v_until, renewed_at = v_now, begun = l.begun or c.begun is true, progress = coalesce(c.progress, l.progress), progress_message = coalesce(c.message, l.progress_message)
    from c where l.ctid = c.tid
  returning l.seq, l.cancel_requested_at is not null as canceled, l.followed_until > v_now as followed)
select count(*), array_agg(u.seq) filter (where u.canceled), array_agg(u.seq) filter (where u.followed and not u.canceled)
  into v_count, v_canceled, v_followed from u;
