-- audit: one row of the audit log about what a caller did, in the transaction of the verb that did it. At most 100 targets are kept, with their count. Of the
-- values before and after only digests are kept, because they may hold a payload. Facts are kept as they are. No tenant: the row is the tenant system's.
-- owner: engine
create or replace function jobplane.audit(p_action text, p_tenant uuid, p_targets text[], p_before jsonb default null, p_after jsonb default null, p_facts jsonb default null) returns void
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_actor constant jsonb := jobplane.current_actor();                             -- refuses a setting that is no actor
  v_said  constant jsonb := nullif(current_setting('jobplane.actor', true), '');
begin
  perform pg_current_xact_id();                                                   -- before the row gets its id: chain_audit relies on that order
  insert into jobplane.audit_log (tenant_id, at, actor, login, address, request_id, action, targets, target_count, before_digest, after_digest, facts)
  values (coalesce(p_tenant, '00000000-0000-7000-8000-000000000002'), jobplane.clock(), v_actor, session_user, v_said ->> 'address', v_said ->> 'request_id', p_action,
          coalesce(p_targets[1:100], '{}'), coalesce(cardinality(p_targets), 0), sha256(convert_to(p_before::text, 'UTF8')), sha256(convert_to(p_after::text, 'UTF8')),
          coalesce(p_facts, '{}'));
end $$;
