-- end_sessions: sign a principal out, of one session or of all; with all of them its links end too
-- in:  principal: key or login, and its id; the SHA-256 of a session's token, null: all
-- out: how many sessions ended
-- owner: engine
-- for: admin
create or replace function jobplane.end_sessions(p_principal_type text, p_principal_id text, p_digest bytea default null) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_ended int;
begin
  delete from jobplane.sessions s where s.principal_type = p_principal_type and s.principal_id = p_principal_id and (p_digest is null or s.digest = p_digest);
  get diagnostics v_ended = row_count;
  if p_digest is null then
    delete from jobplane.session_links l where l.principal_type = p_principal_type and l.principal_id = p_principal_id;
  end if;
  if p_digest is null or v_ended > 0 then
    perform jobplane.audit(case when p_digest is null then 'endSessions' else 'endSession' end,
                           (select k.tenant_id from jobplane.api_keys k where p_principal_type = 'key' and k.key_id = p_principal_id),
                           array[p_principal_id], p_facts => jsonb_build_object('ended', v_ended));
  end if;
  return v_ended;
end $$;
