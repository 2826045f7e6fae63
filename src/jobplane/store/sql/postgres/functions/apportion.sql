-- apportion: who of a batch finds room. All of them, as a rule; else one by one, in order, and a job that one gate shuts takes no room at its others.
create or replace function jobplane.apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms int[]) returns jobplane.candidate[] language plpgsql immutable as $$
declare
  v_key text;
  v_at  int;
begin
  if not exists (select from unnest(p_batch) c, unnest(c.keys) k where c.gate is null group by k having count(*) > p_rooms[array_position(p_keys, k)]) then
    return p_batch;
  end if;
  for i in 1..cardinality(p_batch) loop
    continue when p_batch[i].gate is not null;
    foreach v_key in array p_batch[i].keys loop
      if p_rooms[array_position(p_keys, v_key)] <= 0 then
        p_batch[i].gate := v_key;
        p_batch[i].reason := case split_part(v_key, '/', 1) when 't' then 'tenant_limit' when 'd' then 'definition_limit' else 'definition_tenant_limit' end;
        exit;
      end if;
    end loop;
    continue when p_batch[i].gate is not null;
    foreach v_key in array p_batch[i].keys loop
      v_at := array_position(p_keys, v_key);
      p_rooms[v_at] := p_rooms[v_at] - 1;
    end loop;
  end loop;
  return p_batch;
end $$;
