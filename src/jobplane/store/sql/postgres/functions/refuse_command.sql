-- refuse_command: refuse to let code take the key of a command; one that was deleted may be taken
create or replace function jobplane.refuse_command(p_of jobplane.definitions) returns void language plpgsql immutable as $$
begin
  if p_of.kind = 'command' and p_of.deleted_at is null then
    raise exception 'Definition "%" is a command, and code cannot take its key. Use another key, or delete the command first.', p_of.key
      using errcode = 'JP032', detail = jsonb_build_object('key', p_of.key, 'app', p_of.app);
  end if;
end $$;
