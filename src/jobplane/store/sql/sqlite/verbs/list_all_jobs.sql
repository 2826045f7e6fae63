-- list_all_jobs: jobs of all tenants, the newest first; where statuses are asked for, from the newest of each tenant
-- in:  filters, limit, before and before_id as list_jobs has them. What no index serves is looked for among 10,000 jobs at most
-- out: whole jobs. A last row with nothing but a cursor: the look stopped there, and there may be more

-- statement: tenants
select tenant_no from jobplane_tenants

-- statement: newest
select seq from jobplane_jobs where seq < ? order by seq desc limit ?
