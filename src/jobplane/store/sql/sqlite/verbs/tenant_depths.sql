-- tenant_depths: what waits, runs and has died of some tenants, counted up to 10,000 each, and how long the oldest due job of each waits
-- in:  ids of tenants, at most 1,000; one that is not there is left out

-- statement: tenants
select t.tenant_no, t.tenant_id from json_each(?) i cross join jobplane_tenants t on t.tenant_id = i.value order by i.key
