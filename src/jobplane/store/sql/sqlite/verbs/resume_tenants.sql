-- resume_tenants: open the gate; the first thousand of what it held go back to ready at once, the sweep brings the rest
-- out: tenant_id of each that is there

-- statement: resume
update jobplane_tenants set paused_at = null, updated_at = ? where tenant_id in (select value from json_each(?)) returning tenant_id, 't/' || tenant_no
