-- verify_audit: compute a part of the chain of the audit log again, and say what does not fit
-- in:  the position after which to begin, and how many positions to look at (1 to 10,000)
-- out: last: the last position looked at, null behind the end of the chain; checked: how many; lists of up to 100: gaps: positions that are not there; removed: ids
--      of rows that are gone; changed: ids of rows that are not as they were; inserted: ids of rows that were added among older ones. At the end of the
--      chain: how many rows are not in it yet, and the time of the oldest

-- statement: before
select position, digest from jobplane_audit_chain where position = ?

-- statement: links
select c.position, c.audit_id, c.digest, l.audit_id, t.tenant_id, l.at, l.actor, l.login, l.address, l.request_id, l.action, l.targets, l.target_count, hex(l.before_digest), hex(l.after_digest), l.facts
  from (select * from jobplane_audit_chain where position > ? order by position limit ?) c
  left join jobplane_audit_log l on l.audit_id = c.audit_id
  left join jobplane_tenants t on t.tenant_no = l.tenant_no
 order by c.position

-- statement: end
select coalesce(max(audit_id), 0) from jobplane_audit_chain

-- statement: inserted
select l.audit_id from jobplane_audit_log l
 where l.audit_id <= ? and not exists (select 1 from jobplane_audit_chain c where c.audit_id = l.audit_id) order by 1 limit 100

-- statement: removed
-- No id is left out, so one that is not there was removed.
with recursive n(id) as (select ? + 1 union all select id + 1 from n where id < (select seq from sqlite_sequence where name = 'jobplane_audit_log'))
select id from n where id <= (select seq from sqlite_sequence where name = 'jobplane_audit_log') and not exists (select 1 from jobplane_audit_log l where l.audit_id = id) limit 100

-- statement: tail
select count(*), min(at) from jobplane_audit_log where audit_id > ?
