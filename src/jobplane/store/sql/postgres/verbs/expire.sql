-- expire: cancel the jobs whose time to start has passed before they started
-- in:  how many at most
-- out: how many were canceled
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.expire(p_limit int default 1000) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now   timestamptz := jobplane.clock();
  v_seqs  bigint[];
  v_ids   uuid[];
  v_ended int;
begin
  select array_agg(seq), array_agg(tenant_id) into v_seqs, v_ids
    from (select seq, tenant_id from jobplane.expiring where expires_at <= v_now order by expires_at limit p_limit for update skip locked) x;
  if v_seqs is null then return 0; end if;
  with x as (select * from unnest(v_seqs, v_ids) x(seq, tenant_id)),
  r as (delete from jobplane.ready w using (select w.ctid as tid from x, lateral (select ctid from jobplane.ready
          where tenant_id = x.tenant_id and seq = x.seq and attempt_no = 0 and expires_at <= v_now for update skip locked) w) c where w.ctid = c.tid returning w.*),
  h as (delete from jobplane.held w using (select w.ctid as tid from x, lateral (select ctid from jobplane.held
          where tenant_id = x.tenant_id and seq = x.seq and attempt_no = 0 and expires_at <= v_now for update skip locked) w) c where w.ctid = c.tid returning w.*),
  u as (delete from jobplane.upcoming w using (select w.ctid as tid from x, lateral (select ctid from jobplane.upcoming
          where tenant_id = x.tenant_id and seq = x.seq and attempt_no = 0 and expires_at <= v_now for update skip locked) w) c where w.ctid = c.tid returning w.*),
  gone as materialized (select seq, tenant_id, attempts_left, deduped from r union all select seq, tenant_id, attempts_left, deduped from h
                        union all select seq, tenant_id, attempts_left, deduped from u),
  e as (insert into jobplane.endings select seq, tenant_id, v_now, 0, 'canceled', attempts_left, 'expired' from gone),
  p as (delete from jobplane.dedupe p using gone g, lateral (select j.dedupe_key from jobplane.jobs j where j.seq = g.seq offset 0) j
         where g.deduped and p.tenant_id = g.tenant_id and p.dedupe_key = j.dedupe_key and p.seq = g.seq)
  select count(*) into v_ended from gone;
  -- What is still waiting is locked by somebody, or was put off: the first stays for the next time.
  delete from jobplane.expiring x where x.expires_at <= v_now and x.seq = any (v_seqs) and not exists (
    select from jobplane.ready w where w.tenant_id = x.tenant_id and w.seq = x.seq and w.attempt_no = 0 union all
    select from jobplane.held w where w.tenant_id = x.tenant_id and w.seq = x.seq and w.attempt_no = 0 union all
    select from jobplane.upcoming w where w.tenant_id = x.tenant_id and w.seq = x.seq and w.attempt_no = 0);
  return v_ended;
end $$;
