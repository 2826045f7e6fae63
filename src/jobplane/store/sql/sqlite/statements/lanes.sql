-- lanes: the tags of each tenant's waiting rows, and rows that move between the states

-- statement: tails
-- Where each lane's tenant stands now: its last waiting tag, the lane's clock, the tenant's weight.
select x.value ->> 0, x.value ->> 1, x.value ->> 2,
       (select max(r.tag) from jobplane_ready r where r.tenant_no = x.value ->> 0 and r.queue_id = x.value ->> 1 and r.priority = x.value ->> 2),
       coalesce((select c.v from jobplane_clocks c where c.queue_id = x.value ->> 1 and c.priority = x.value ->> 2), 0),
       coalesce((select t.weight from jobplane_tenants t where t.tenant_no = x.value ->> 0), 1)
  from json_each(?) x

-- statement: advance
insert into jobplane_clocks (queue_id, priority, v) values (?, ?, ?)
on conflict (queue_id, priority) do update set v = max(v, excluded.v)

-- statement: admit_upcoming
with n as (select u.*, x.value ->> 1 as new_tag from json_each(?) x cross join jobplane_upcoming u on u.seq = x.value ->> 0)
/*statement:insert_ready*/

-- statement: leave_upcoming
delete from jobplane_upcoming where seq in (select value from json_each(?))

-- statement: admit_held
with n as (select h.*, x.value ->> 1 as new_tag from json_each(?) x cross join jobplane_held h on h.seq = x.value ->> 0)
/*statement:insert_ready*/

-- statement: leave_held
delete from jobplane_held where seq in (select value from json_each(?))

-- statement: leave_ready
delete from jobplane_ready where seq in (select value from json_each(?))

-- statement: aside_ready
with n as (select * from jobplane_ready where seq in (select value from json_each(?)))
/*statement:insert_upcoming*/

-- statement: aside_held
with n as (select * from jobplane_held where seq in (select value from json_each(?)))
/*statement:insert_upcoming*/

-- statement: put_off
update jobplane_upcoming set scheduled_for = ? where seq in (select value from json_each(?))

-- statement: change
update jobplane_jobs set changed_at = ? where seq in (select value from json_each(?))

-- statement: end_waiting
insert into jobplane_endings (seq, tenant_no, finished_at, attempt_no, status, attempts_left, reason)
select seq, tenant_no, ?, attempt_no, 'canceled', attempts_left, ? from jobplane_waiting where seq in (select value from json_each(?))

-- statement: free_keys
delete from jobplane_dedupe where (tenant_no, dedupe_key, seq) in (
  select j.tenant_no, j.dedupe_key, j.seq from json_each(?) x cross join jobplane_jobs j on j.seq = x.value where j.dedupe_key is not null)
