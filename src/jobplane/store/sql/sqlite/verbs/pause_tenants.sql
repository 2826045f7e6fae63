-- pause_tenants: from its commit on no claim starts their jobs; what runs, runs on
-- in:  tenants; a reason of up to 1000 characters, kept with the caller's name. Another reason replaces that of a tenant that is paused already
-- out: tenant_id of each that is there

-- statement: pause
update jobplane_tenants set paused_at = coalesce(paused_at, ?), paused_by = ?, paused_reason = coalesce(?, paused_reason), updated_at = ?
 where tenant_id in (select value from json_each(?)) and (paused_at is null or paused_reason is not coalesce(?, paused_reason)) returning tenant_id, tenant_no

-- statement: there
select tenant_id from jobplane_tenants where tenant_id in (select value from json_each(?))
