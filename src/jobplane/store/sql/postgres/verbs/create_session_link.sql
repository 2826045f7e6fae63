-- create_session_link: keep a link that signs a principal in once, within ten minutes
-- in:  the SHA-256 of the link; principal: key or login, and its id; when the session that comes of it ends at the latest, null: as any other
-- out: when the link expires; no row where the principal may do nothing any more. A principal has 20 links at most: the oldest one ends
-- owner: engine
-- for: admin
create or replace function jobplane.create_session_link(p_digest bytea, p_principal_type text, p_principal_id text, p_session_until timestamptz default null) returns table (expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_tenant uuid;
begin
  return query select l.expires_at from jobplane.session_links l where l.digest = p_digest;
  if found then return; end if;
  select p.tenant_id into v_tenant from jobplane.find_principal(p_principal_type, p_principal_id) p;
  if not found then return; end if;
  expires_at := v_now + interval '10 minutes';
  insert into jobplane.session_links (digest, principal_type, principal_id, created_at, expires_at, session_until)
  values (p_digest, p_principal_type, p_principal_id, v_now, create_session_link.expires_at, p_session_until);
  delete from jobplane.session_links l where l.digest = any (array(
    select x.digest from jobplane.session_links x where x.principal_type = p_principal_type and x.principal_id = p_principal_id and x.digest <> p_digest
     order by x.created_at desc offset 19));
  perform jobplane.audit('createSessionLink', v_tenant, array[p_principal_id], p_facts => jsonb_build_object('expires_at', create_session_link.expires_at));
  return next;
exception
  when check_violation or not_null_violation then
    raise exception 'A link needs a digest of 32 bytes.' using errcode = 'JP002';
end $$;
