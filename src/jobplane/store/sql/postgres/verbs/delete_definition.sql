-- delete_definition: a person deletes a definition, by key or id: it takes no more jobs, starts none, and is in no list. Its jobs stay
-- in:  revision: refuse where the definition has another one
-- out: the key. A definition that something needs is refused. Creating or syncing the same key brings it back
-- owner: engine
-- for: admin
create or replace function jobplane.delete_definition(p_key text, p_id uuid, p_revision int default null) returns text
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_old jobplane.definitions;
  v_new jobplane.definitions;
begin
  perform jobplane.lock_gates();
  v_old := jobplane.found_definition(p_key, p_id);
  if p_revision <> v_old.revision then
    raise exception 'Definition "%" has revision %, not %. Read it again, and repeat the change.', v_old.key, v_old.revision, p_revision
      using errcode = 'JP030', detail = jsonb_build_object('key', v_old.key, 'revision', v_old.revision);
  end if;
  perform jobplane.refuse_used_definition(v_old);
  v_new := v_old;
  v_new.deleted_at := jobplane.clock();
  v_new.active := false;
  perform jobplane.write_definition(v_new, false);
  perform jobplane.audit('deleteDefinition', null, array[v_old.key], jobplane.definition_document(v_old), null);
  return v_old.key;
end $$;
