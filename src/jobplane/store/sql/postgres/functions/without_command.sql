-- without_command: a definition without its command, for code that takes the key of a command that was deleted
create or replace function jobplane.without_command(p_of jobplane.definitions) returns jobplane.definitions language plpgsql immutable as $$
begin
  p_of.command := null;
  p_of.kind := nullif(p_of.kind, 'command');
  return p_of;
end $$;
