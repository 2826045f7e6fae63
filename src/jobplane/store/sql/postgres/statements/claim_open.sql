-- claim_open: lease the first rows of a lane that no gate has to look at; the rows it leaves are for the further look. A row may have come back after
-- v_now was read: its attempt does not start before it was due, and so not before the last one ended. Where nothing is leased the clock's row is not locked either, so
-- that a claim that finds nothing writes nothing and has no commit to wait for. Definitions are looked up for each row only where the claimer runs any, which no command is;
-- not by EXISTS, of which the planner may make a hash of them all
-- params: v_queue int, v_priority smallint, v_low bigint, v_n int, v_tenants uuid[], v_definitions int[], v_there int[], v_now timestamptz, p_token uuid, p_begun boolean, p_worker_id text, v_lease interval, v_advanced_at timestamptz
with c as materialized (
  select ctid as tid, tenant_id, definition_id, expires_at from jobplane.ready
   where queue_id = v_queue and priority = v_priority and seq > 0 and tag >= v_low
   order by tag limit v_n for update skip locked),
d as (
  delete from jobplane.ready r using c
   where r.ctid = c.tid and c.tenant_id <> all (v_tenants) and c.definition_id <> all (v_definitions)
     and case when v_there is null then (select true from jobplane.definitions x where x.definition_id = c.definition_id and x.kind is distinct from 'command') else c.definition_id = any (v_there) end
     and (c.expires_at is null or c.expires_at > v_now)
  returning r.*),
l as (
  insert into jobplane.leases (seq, tenant_id, token, scheduled_for, started_at, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left,
                               interruptions, deduped, alone, worker_id, begun)
  select seq, tenant_id, p_token, scheduled_for, greatest(v_now, scheduled_for), v_now + v_lease, queue_id, definition_id, attempt_no + 1, priority, attempts_left - 1,
         interruptions, deduped, alone, p_worker_id, p_begun from d),
k as (
  update jobplane.clocks k set v = m.v, advanced_at = v_now
    from (select max(tag) as v from d having count(*) > 0 and v_advanced_at < v_now - interval '50 ms' and jobplane.lock_clock(v_queue, v_priority)) m,
         lateral (select c.ctid as tid from jobplane.clocks c where c.queue_id = v_queue and c.priority = v_priority and c.v < m.v for update skip locked) c
   where k.ctid = c.tid)
select d.seq, d.tenant_id, d.definition_id, d.attempt_no + 1, d.attempts_left - 1, v_now + v_lease, d.scheduled_for, d.priority, d.alone, j.job, false
  from d, lateral (select x as job from jobplane.jobs x where x.seq = d.seq offset 0) j;
