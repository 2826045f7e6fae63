-- prune_fires: remove the record of planned times, trigger by trigger: beyond the newest 10000, and what is older than 400 days
-- in:  the tenant and the id of the trigger after which to begin; how many triggers to look at; dry_run: only count
-- out: how many rows, 1000 of a trigger at most; the last trigger that was looked at, null: there are no more

-- statement: triggers
select n.tenant_id, t.trigger_id from jobplane_triggers t join jobplane_tenants n on n.tenant_no = t.tenant_no where t.trigger_id > ? order by t.trigger_id limit ?

-- statement: cut
select planned_at from jobplane_fires where trigger_id = ? order by planned_at desc limit 1 offset 10000

-- statement: old
select planned_at from jobplane_fires where trigger_id = ? and planned_at <= ? order by planned_at limit 1000

-- statement: remove
delete from jobplane_fires where trigger_id = ? and planned_at in (select value from json_each(?))
