-- current_actor: who makes this call, as type, id and name: the actor that the caller has set for this statement or transaction, else the login
create or replace function jobplane.current_actor() returns jsonb language plpgsql stable as $$
declare
  v_text constant text := nullif(current_setting('jobplane.actor', true), '');
  v_said jsonb;
begin
  if v_text is null then return jsonb_build_object('type', 'login', 'id', session_user); end if;
  v_said := case when octet_length(v_text) <= 4000 then v_text end;
  if jsonb_typeof(v_said -> 'type') is distinct from 'string' or jsonb_typeof(v_said -> 'id') is distinct from 'string' then
    raise exception 'The setting jobplane.actor is no actor. Set it to a JSON object with type, id and name, of up to 4000 bytes.' using errcode = 'JP002';
  end if;
  return v_said - '{address,request_id}'::text[];
end $$;
