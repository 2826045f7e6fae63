-- found_definition: a definition by its key or its id, locked; one that was deleted is not found
-- for: engine
create or replace function jobplane.found_definition(p_key text, p_id uuid) returns jobplane.definitions language plpgsql volatile as $$
declare
  v_found jobplane.definitions;
begin
  if p_id is null then
    select * into v_found from jobplane.definitions d where d.key = p_key for update;
  else
    select * into v_found from jobplane.definitions d where d.id = p_id for update;
  end if;
  if v_found.definition_id is null or v_found.deleted_at is not null then
    raise exception 'There is no definition %. List them with list_definitions.', coalesce('"' || left(p_key, 200) || '"', p_id::text)
      using errcode = 'JP012';
  end if;
  return v_found;
end $$;
