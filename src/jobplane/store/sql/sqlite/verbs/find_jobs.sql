-- find_jobs: whole jobs by their ids, of whichever tenant, in the order asked for; an id that is not there is left out
-- in:  ids, at most 200 different ones. Tenants may choose ids, so two jobs may have the same one: then both are answered, the older one first

-- statement: seqs
select j.seq from json_each(?) i cross join jobplane_tenants t cross join jobplane_jobs j on j.tenant_no = t.tenant_no and j.id = i.value order by i.key, j.seq
