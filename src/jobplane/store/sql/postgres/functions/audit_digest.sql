-- audit_digest: what the chain keeps of a row of the audit log: the SHA-256 of the digest before it and of the row's text, which no setting of a session changes
-- for: engine
create or replace function jobplane.audit_digest(p_previous bytea, p_row jobplane.audit_log) returns bytea language sql immutable as $$
  select sha256(p_previous || convert_to(jsonb_build_array(
    p_row.audit_id, p_row.tenant_id, (extract(epoch from p_row.at) * 1000000)::bigint, p_row.actor, p_row.login, p_row.address, p_row.request_id, p_row.action,
    to_jsonb(p_row.targets), p_row.target_count, encode(p_row.before_digest, 'hex'), encode(p_row.after_digest, 'hex'), p_row.facts)::text, 'UTF8'))
$$;
