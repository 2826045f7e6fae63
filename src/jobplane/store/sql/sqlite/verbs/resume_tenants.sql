-- resume_tenants: open the gate; the first thousand of what it held go back to ready at once, the sweep brings the rest
-- out: tenant_id of each that is there

-- statement: resume
update jobplane_tenants set paused_at = null, paused_by = null, paused_reason = null, updated_at = ?
 where tenant_id in (select value from json_each(?)) and paused_at is not null returning tenant_id, tenant_no

-- statement: there
select tenant_id, 't/' || tenant_no from jobplane_tenants where tenant_id in (select value from json_each(?))
