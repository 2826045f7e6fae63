-- current_tenant: the tenant that the caller has set for this statement or transaction. Unset is an error, never "all of them"; no uuid is one, too.
create or replace function jobplane.current_tenant() returns uuid language plpgsql stable as $$
declare
  v_tenant constant text := nullif(current_setting('jobplane.tenant_id', true), '');
begin
  if v_tenant is null then
    raise exception 'No tenant is set.' using errcode = 'JP001',
      hint = 'Set it in the same transaction: select set_config(''jobplane.tenant_id'', ''<uuid>'', true)';
  end if;
  return v_tenant;
end $$;
