-- verify_audit: compute a part of the chain of the audit log again, and say what does not fit
-- in:  the position after which to begin, and how many positions to look at (1 to 10,000)
-- out: last: the last position looked at, null behind the end of the chain; checked: how many; lists of up to 100: gaps: positions that are not there; removed: ids
--      of rows that are gone; changed: ids of rows that are not as they were; inserted: ids of rows that were added among older ones. At the end of the
--      chain: how many rows are not in it yet, and the time of the oldest
-- owner: engine
-- for: admin
create or replace function jobplane.verify_audit(p_after bigint default 0, p_limit int default 1000)
returns table (last bigint, checked bigint, gaps bigint[], removed bigint[], changed bigint[], inserted bigint[], unchained bigint, oldest_unchained_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_most   constant int := least(greatest(p_limit, 1), 10000);
  v_head   jobplane.audit_head;
  v_link   record;
  v_before jobplane.audit_chain;
begin
  checked := 0;
  gaps := '{}';
  removed := '{}';
  changed := '{}';
  inserted := '{}';
  select * into v_head from jobplane.audit_head where one;
  select * into v_before from jobplane.audit_chain c where c.position = p_after;
  if p_after = 0 then v_before := (0, 0, '', null); end if;
  for v_link in
    select c.position, c.audit_id, c.digest, a as entry, a.audit_id is null as is_gone
      from (select * from jobplane.audit_chain c where c.position > p_after order by c.position limit v_most) c left join jobplane.audit_log a on a.audit_id = c.audit_id
     order by c.position
  loop
    checked := checked + 1;
    if v_before.position is distinct from v_link.position - 1 then
      gaps := gaps || array(select generate_series(coalesce(v_before.position, p_after) + 1, v_link.position - 1) limit 100);
      if v_link.is_gone then removed := removed || v_link.audit_id; end if;
    elsif v_link.is_gone then
      removed := removed || v_link.audit_id;
    elsif jobplane.audit_digest(v_before.digest, v_link.entry) <> v_link.digest then
      changed := changed || v_link.audit_id;
    end if;
    v_before := (v_link.position, v_link.audit_id, v_link.digest, null);
    last := v_link.position;
  end loop;
  if last is null then
    if v_before.position is distinct from v_head.position and p_after < v_head.position then
      gaps := array(select generate_series(p_after + 1, v_head.position) limit 100);
    elsif v_before.position = v_head.position and v_before.digest <> v_head.digest then
      changed := array[v_before.audit_id];
    end if;
    inserted := array(select a.audit_id from jobplane.audit_log a where a.audit_id <= v_head.low
                         and not exists (select from jobplane.audit_chain c where c.audit_id = a.audit_id) order by 1 limit 100);
    select count(*), min(a.at) into unchained, oldest_unchained_at from jobplane.audit_log a
     where a.audit_id > v_head.low and not exists (select from jobplane.audit_chain c where c.audit_id = a.audit_id);
  end if;
  gaps := gaps[1:100];
  removed := removed[1:100];
  changed := changed[1:100];
  return next;
end $$;
