-- claim_take: lease the candidates that passed, move to held those that a gate shuts; one update for each limit. A pause or a missing worker is
-- no limit: its row is not locked, and the sweep lets its jobs back
-- params: v_batch jobplane.candidate[], v_queue int, v_priority smallint, v_now timestamptz, p_token uuid, p_begun boolean, p_worker_id text, v_lease interval, v_advanced_at timestamptz
with d as (
  delete from jobplane.ready r using unnest(v_batch) c where r.ctid = c.tid returning r.*, c.keys, c.gate, c.reason),
h as (
  insert into jobplane.held
  select seq, tag, tenant_id, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone, gate, reason
    from d where gate is not null),
l as (
  insert into jobplane.leases (seq, tenant_id, token, scheduled_for, started_at, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left,
                               interruptions, deduped, alone, worker_id, begun, limit_keys)
  select seq, tenant_id, p_token, scheduled_for, greatest(v_now, scheduled_for), v_now + v_lease, queue_id, definition_id, attempt_no + 1, priority, attempts_left - 1,
         interruptions, deduped, alone, p_worker_id, p_begun, nullif(keys, '{}') from d where gate is null),
u as (
  update jobplane.limits x set used = x.used + m.n, waiting = x.waiting or m.waits
    from (select k, count(*) filter (where not shut) as n, bool_or(shut) as waits
            from (select unnest(keys) as k, false as shut from d where gate is null union all select gate, true from d where reason like '%\_limit') y
           group by k) m
   where x.limit_key = m.k),
k as (
  update jobplane.clocks k set v = m.v, advanced_at = v_now
    from (select max(tag) as v from d where gate is null having count(*) > 0 and v_advanced_at < v_now - interval '50 ms' and jobplane.lock_clock(v_queue, v_priority)) m,
         lateral (select c.ctid as tid from jobplane.clocks c where c.queue_id = v_queue and c.priority = v_priority and c.v < m.v for update skip locked) c
   where k.ctid = c.tid)
select d.seq, d.tenant_id, d.definition_id, d.attempt_no + 1, d.attempts_left - 1, v_now + v_lease, d.scheduled_for, d.priority, d.alone, j.job, false
  from d, lateral (select x as job from jobplane.jobs x where x.seq = d.seq offset 0) j where d.gate is null;
