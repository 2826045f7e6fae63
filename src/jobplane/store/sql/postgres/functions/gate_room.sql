-- gate_room: how many jobs a gate would let pass now, at most p_limit; a text that names no gate lets all pass, and the claim judges them again
create or replace function jobplane.gate_room(p_gate text, p_limit int) returns int language plpgsql volatile as $$
declare
  v_kind constant text := split_part(p_gate, '/', 1);
  v_ref  constant text := split_part(p_gate, '/', 2);
  v_open boolean;
  v_max  int;
  v_used int;
begin
  if p_gate !~ '^(g/|t/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|(d|dt|w)/[0-9]{1,9}(/|$))' then
    return p_limit;
  end if;
  if v_kind = 'g' then                                  -- gone: the definition of this key was not there
    v_open := exists (select from jobplane.definitions d where d.key = substr(p_gate, 3));
  elsif v_kind = 't' then
    select t.paused_at is null, t.max_in_flight into v_open, v_max from jobplane.tenants t where t.tenant_id = v_ref::uuid;
  else
    select case when v_kind = 'w' then exists (select from jobplane.workers w where w.worker_id > '' and w.last_seen_at > jobplane.clock() - interval '60 s'
                                                 and coalesce(d.definition_id = any (w.definition_ids), d.kind is distinct from 'command'))
                else d.active end,
           case v_kind when 'd' then d.max_running when 'dt' then d.max_running_per_tenant end
      into v_open, v_max from jobplane.definitions d where d.definition_id = v_ref::int;
  end if;
  if not coalesce(v_open, true) then return 0; end if;
  if v_max is null then return p_limit; end if;
  select l.used into v_used from jobplane.limits l where l.limit_key = p_gate;
  return greatest(least(v_max - coalesce(v_used, 0), p_limit), 0);
end $$;
