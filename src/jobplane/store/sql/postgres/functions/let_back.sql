-- let_back: up to p_n rows that a gate holds go back to ready, as far as it has room
create or replace function jobplane.let_back(p_gate text, p_n int) returns int language plpgsql volatile as $$
declare
  v_room constant int := jobplane.gate_room(p_gate, p_n);
begin
  if v_room = 0 then return 0; end if;
  if p_gate like 'g/%' then perform jobplane.rebind(p_gate, v_room); end if;
  return jobplane.release_held(array[p_gate], array[v_room], true);
end $$;
