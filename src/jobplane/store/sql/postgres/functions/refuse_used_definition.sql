-- refuse_used_definition: refuse to delete a definition that something needs
-- for: engine
create or replace function jobplane.refuse_used_definition(p_of jobplane.definitions) returns void language plpgsql volatile as $$
declare
  v_used_by constant text := case when p_of.origin = 'builtin' then 'jobplane'
                                  when exists (select from jobplane.triggers t where t.definition_id = p_of.definition_id) then 'triggers' end;
begin
  if v_used_by is not null then
    raise exception 'Cannot delete definition "%": %', p_of.key, case v_used_by when 'jobplane' then 'jobplane needs it. Disable it instead.'
                                                                                             when 'triggers' then 'triggers name it. Delete them first, or disable the definition.' end
      using errcode = 'JP031', detail = jsonb_build_object('key', p_of.key, 'used_by', v_used_by);
  end if;
end $$;
