-- overridden_by: the fields of a definition that people have set, once a person has also set those that a document names. `active` is among them only if it
-- differs from the code: a definition that was switched off and on again is as its code has it.
create or replace function jobplane.overridden_by(p_new jobplane.definitions, p_doc jsonb) returns text[] language sql immutable as $$
  select coalesce(array_agg(f order by f), '{}') from (select unnest(p_new.overridden) union select jsonb_object_keys(p_doc)) o(f)
   where f = any (jobplane.overridable()) and (f <> 'active' or not p_doc ? f or p_new.active <> coalesce((p_new.code ->> 'active')::boolean, true))
$$;
