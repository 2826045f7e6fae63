-- pause_tenants: from its commit on no claim starts their jobs; what runs, runs on
-- out: tenant_id of each that is there

-- statement: pause
update jobplane_tenants set paused_at = coalesce(paused_at, ?), updated_at = ? where tenant_id in (select value from json_each(?)) returning tenant_id
