-- gates: what a limit or a pause lets pass, and what it holds

-- statement: used
select limit_key, used from jobplane_limits where limit_key in (select value from json_each(?))

-- statement: count
insert into jobplane_limits (limit_key, used, waiting) select value ->> 0, value ->> 1, value ->> 2 from json_each(?) where true
on conflict (limit_key) do update set used = used + excluded.used, waiting = max(waiting, excluded.waiting)

-- statement: waiting
select limit_key from jobplane_limits where waiting and limit_key in (select value from json_each(?))

-- statement: nobody_waits
update jobplane_limits set waiting = 0
 where limit_key in (select value from json_each(?)) and not exists (select 1 from jobplane_held h where h.gate = limit_key)

-- statement: held
select h.seq, h.tenant_no, h.queue_id, h.priority, h.tag, coalesce((select c.v from jobplane_clocks c where c.queue_id = h.queue_id and c.priority = h.priority), 0)
  from jobplane_held h where h.gate = cast(? as text) order by h.priority, h.tag, h.seq limit ?

-- statement: next
select gate from jobplane_held where gate > cast(? as text) order by gate limit 1

-- statement: tenant
select paused_at is null, max_in_flight from jobplane_tenants where tenant_no = ?

-- statement: definition
select key, kind, active, max_running, max_running_per_tenant from jobplane_definitions where definition_id = ?

-- statement: id_of
select definition_id from jobplane_definitions where key = ?

-- statement: rebind_held
update jobplane_held set definition_id = ? where seq in (select value from json_each(?))

-- statement: rebind_jobs
update jobplane_jobs set definition_id = ? where seq in (select value from json_each(?))

-- statement: live_workers
select queues, definitions, mismatched from jobplane_workers where last_seen_at > ?

-- statement: recount_limits
-- By the text: what another lease has there may be no JSON either.
update jobplane_limits set used = (select count(*) from jobplane_leases l where instr(l.limit_keys, '"' || limit_key || '"'))

-- statement: recount
update jobplane_leases set limit_keys = x.keys from (select value ->> 0 as seq, value ->> 1 as keys from json_each(?)) x where jobplane_leases.seq = x.seq
