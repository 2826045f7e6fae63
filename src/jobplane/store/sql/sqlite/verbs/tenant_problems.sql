-- tenant_problems: what keeps jobs of the tenant that is set from running or makes them fail; nothing of other tenants
-- out: one row for each problem: code (no_worker | queue_paused | tenant_paused | slow_queue | dead_letters | schedule_late), since when, what it is about, and how many jobs are concerned

-- statement: lane
-- The next lane of the tenant.
select queue_id, priority from jobplane_ready where tenant_no = ? and (queue_id, priority) > (?, ?) order by queue_id, priority, tag limit 1

-- statement: oldest
select min(max(r.scheduled_for, j.created_at))
  from (select seq, scheduled_for from jobplane_ready where tenant_no = ? and queue_id = ? and priority = ? order by tag limit 10) r
 cross join jobplane_jobs j on j.seq = r.seq

-- statement: backlog
select count(*), '[]' from (select 1 from jobplane_ready where tenant_no = ? and queue_id = ? limit 10000)

-- statement: gates
select distinct gate from (select gate from jobplane_held where tenant_no = ? limit 10000) where gate >= 'w/' and gate < 'w0'

-- statement: held
select count(*), min(scheduled_for), '[]' from (select gate, scheduled_for from jobplane_held where tenant_no = ? limit 10000) where gate = ?

-- statement: tenants
select tenant_no, slug, paused_at, paused_by, paused_reason from jobplane_tenants where tenant_no = ?

-- statement: late
select t.trigger_id, t.label, t.due_at, d.key, t.tenant_no from jobplane_triggers t left join jobplane_definitions d on d.definition_id = t.definition_id
 where t.is_enabled and t.due_at is not null and t.tenant_no = ? and t.due_at < ? order by t.due_at limit 10000
