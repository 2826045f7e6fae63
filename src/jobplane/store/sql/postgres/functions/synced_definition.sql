-- synced_definition: a definition with what its code says. What a person has set stays, unless it is forced; what the code no longer names gets its default
create or replace function jobplane.synced_definition(p_old jobplane.definitions, p_doc jsonb, p_force boolean) returns jobplane.definitions language plpgsql volatile as $$
declare
  v_kept  constant text[] := case when p_force then '{}' else p_old.overridden end;
  v_code  constant jsonb := '{"origin": "code"}' || p_doc - 'key';
  v_reset constant text[] := array(select jsonb_object_keys(p_old.code) union select unnest(p_old.overridden) where p_force);
  v_new   jobplane.definitions;
begin
  p_old := jobplane.without_command(p_old);
  v_new := jobplane.changed_definition(p_old, ((select coalesce(jsonb_object_agg(f.key, f.value), '{}') from jsonb_each(jobplane.default_document()) f
                                                 where f.key = any (v_reset)) || v_code) - v_kept);
  v_new.overridden := v_kept;
  if p_old.deleted_from_code or p_old.deleted_at is not null then
    v_new.active := coalesce((v_code ->> 'active')::boolean, true) <> ('active' = any (v_kept));
  end if;
  v_new.deleted_from_code := false;
  v_new.deleted_at := null;
  v_new.code := v_code;
  return v_new;
end $$;
