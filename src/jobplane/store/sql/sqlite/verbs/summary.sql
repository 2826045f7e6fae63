-- summary: how many jobs of the tenant that is set are in each status, counted up to 10,000 each, and how long the oldest due one waits

-- statement: counts
select (select count(*) from (select 1 from jobplane_ready where tenant_no = ? limit 10000)),
       (select count(*) from (select 1 from jobplane_held where tenant_no = ? limit 10000)),
       (select count(*) from (select 1 from jobplane_upcoming where tenant_no = ? limit 10000)),
       (select count(*) from (select 1 from jobplane_leases where tenant_no = ? limit 10000)),
       (select count(*) from (select 1 from jobplane_endings where tenant_no = ? and status = 'succeeded' limit 10000)),
       (select count(*) from (select 1 from jobplane_endings where tenant_no = ? and status = 'failed' limit 10000)),
       (select count(*) from (select 1 from jobplane_endings where tenant_no = ? and status = 'dead_letter' limit 10000)),
       (select count(*) from (select 1 from jobplane_endings where tenant_no = ? and status = 'canceled' limit 10000)),
       (select min(scheduled_for) from (
          select scheduled_for from (select scheduled_for from jobplane_held where tenant_no = ? limit 10000)
          union all
          select scheduled_for from (select scheduled_for from jobplane_upcoming where tenant_no = ? limit 10000)))

-- statement: head
-- The first row of the tenant's next lane.
select queue_id, priority, scheduled_for from jobplane_ready
 where tenant_no = ? and (queue_id, priority) > (?, ?) order by queue_id, priority, tag limit 1
