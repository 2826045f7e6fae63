-- chain_audit: append rows of the audit log to the chain of digests, so that a row that is changed or removed later shows
-- in:  how many at most
-- out: how many rows. 0 also while another call does it
-- The order of the chain is that in which rows were found. A transaction that commits late may have a smaller id than rows in the chain: its row comes later.

-- statement: head
select position, audit_id, digest from jobplane_audit_chain order by position desc limit 1

-- statement: rows
select l.audit_id, t.tenant_id, l.at, l.actor, l.login, l.address, l.request_id, l.action, l.targets, l.target_count, hex(l.before_digest), hex(l.after_digest), l.facts
  from jobplane_audit_log l join jobplane_tenants t using (tenant_no) where l.audit_id > ? order by l.audit_id limit ?

-- statement: append
insert into jobplane_audit_chain (position, audit_id, digest, chained_at) values (?, ?, ?, ?)
