-- pausing: who pauses, in words like `key:abc (deploy bot)` or `login:jobplane_admin`; refuses a reason that is too long
create or replace function jobplane.pausing(p_reason text) returns text language plpgsql stable as $$
declare
  v_actor constant jsonb := jobplane.current_actor();
begin
  if length(p_reason) > 1000 then
    raise exception 'The reason has % characters. Shorten it to 1000.', length(p_reason) using errcode = 'JP002';
  end if;
  return format('%s:%s', v_actor ->> 'type', v_actor ->> 'id') || coalesce(' (' || nullif(v_actor ->> 'name', '') || ')', '');
end $$;
