-- apportion: who of a batch finds room: one by one, in order, and a job that one gate shuts takes no room at its others. The keys come in their order and by
-- their number, which is their place among all of them, because to look each up by its text costs more than all the rest.
create or replace function jobplane.apportion(p_batch jobplane.candidate[], p_keys text[], p_rooms int[]) returns jobplane.candidate[] language plpgsql immutable as $$
declare
  v_gates text[] := array_fill(null::text, array[cardinality(p_batch)]);
  v_at    int;
  v       record;
begin
  for v in
    select x.ord, array_agg(x.at order by x.n) as ats
      from (select y.ord, y.n, dense_rank() over (order by y.k) as at
              from (select c.ord, generate_subscripts(c.keys, 1) as n, unnest(c.keys) collate "C" as k
                      from unnest(p_batch) with ordinality c(tid, tag, keys, maxes, gate, reason, expired, ord) where c.gate is null
                    union all select 0, 0, unnest(p_keys) collate "C") y) x
     where x.ord > 0 group by x.ord order by x.ord
  loop
    foreach v_at in array v.ats loop
      if p_rooms[v_at] <= 0 then
        v_gates[v.ord] := p_keys[v_at];
        exit;
      end if;
    end loop;
    continue when v_gates[v.ord] is not null;
    foreach v_at in array v.ats loop
      p_rooms[v_at] := p_rooms[v_at] - 1;
    end loop;
  end loop;
  return array(
    select row(c.tid, c.tag, c.keys, c.maxes, coalesce(c.gate, c.shut),
               coalesce(c.reason, case split_part(c.shut, '/', 1) when 't' then 'tenant_limit' when 'd' then 'definition_limit' when 'dt' then 'definition_tenant_limit' end),
               c.expired)::jobplane.candidate
      from unnest(p_batch, v_gates) c(tid, tag, keys, maxes, gate, reason, expired, shut));
end $$;
