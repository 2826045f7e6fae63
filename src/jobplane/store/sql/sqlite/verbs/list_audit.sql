-- list_audit: what callers did, the newest first, of one tenant or of all
-- in:  a tenant, or null for all; limit (1 to 1000); the id before which to begin; an action; an actor by id, or as type:id; a target; since and until: times
-- out: the row, digests in hex, and its cursor. A look ends after 10,000 rows: a last row without an id has the cursor where it goes on

-- statement: ids
select audit_id from jobplane_audit_log where audit_id < ? order by audit_id desc limit 10000

-- statement: ids_of_tenant
select audit_id from jobplane_audit_log where tenant_no = ? and audit_id < ? order by audit_id desc limit 10000

-- statement: hits
select l.audit_id, t.tenant_id, l.at, l.actor, l.login, l.address, l.request_id, l.action, l.targets, l.target_count,
       case when l.before_digest is not null then lower(hex(l.before_digest)) end, case when l.after_digest is not null then lower(hex(l.after_digest)) end, l.facts
  from (select ? as ids, ? as f) w
 cross join json_each(w.ids) i
 cross join jobplane_audit_log l on l.audit_id = i.value
  left join jobplane_tenants t on t.tenant_no = l.tenant_no
 where l.action = coalesce(f ->> 'action', l.action) and l.at >= coalesce(f ->> 'since', l.at) and (f ->> 'until' is null or l.at < f ->> 'until')
   and (f ->> 'target' is null or json_valid(l.targets) and exists (select 1 from json_each(l.targets) x where x.value = f ->> 'target'))
   and (f ->> 'actor' is null or json_valid(l.actor) and f ->> 'actor' in (l.actor ->> 'id', (l.actor ->> 'type') || ':' || (l.actor ->> 'id')))
 order by i.key limit ?

-- statement: at
select at from jobplane_audit_log where audit_id = ?
