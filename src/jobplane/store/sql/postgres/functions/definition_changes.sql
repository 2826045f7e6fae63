-- definition_changes: how two states of a definition differ, as {field: {from, to}}
create or replace function jobplane.definition_changes(p_old jobplane.definitions, p_new jobplane.definitions) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(o.key, jsonb_build_object('from', o.value, 'to', n.value -> o.key)), '{}')
    from jsonb_each(jobplane.definition_document(p_old) || jsonb_build_object('app', p_old.app, 'overridden', p_old.overridden)) o,
         (select jobplane.definition_document(p_new) || jsonb_build_object('app', p_new.app, 'overridden', p_new.overridden)) n(value)
   where o.value <> n.value -> o.key
$$;
