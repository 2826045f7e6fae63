-- merged: a JSON value with the changes of a JSON merge patch (RFC 7396): null takes a member away
create or replace function jobplane.merged(p_value jsonb, p_patch jsonb) returns jsonb language plpgsql immutable as $$
declare
  v_new  jsonb := case when jsonb_typeof(p_value) = 'object' then p_value else '{}' end;
  v_name text;
begin
  if jsonb_typeof(p_patch) is distinct from 'object' then return p_patch; end if;
  for v_name in select jsonb_object_keys(p_patch) loop
    v_new := case when p_patch -> v_name = 'null' then v_new - v_name
                  else v_new || jsonb_build_object(v_name, jobplane.merged(v_new -> v_name, p_patch -> v_name)) end;
  end loop;
  return v_new;
end $$;
