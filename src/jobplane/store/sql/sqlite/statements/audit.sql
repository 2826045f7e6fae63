-- audit: one row of the audit log about what a caller did

-- statement: insert
insert into jobplane_audit_log (tenant_no, at, actor, login, address, request_id, action, targets, target_count, before_digest, after_digest, facts)
values (coalesce(?, (select t.tenant_no from jobplane_tenants t where t.slug = 'system')), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
