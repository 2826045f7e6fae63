-- find_all_seqs: the newest candidates for a list over all tenants: the jobs with a whole id, or those of all tenants in the order of their age. Only where some statuses are asked for, each tenant is looked at
-- params: v_statuses text[], v_before bigint, v_scan int, v_narrow boolean, v_by_facts boolean, v_hex text, v_owner jsonb, v_project jsonb, p_worker_id text, p_correlation_id text, v_page int, p_trigger_id uuid
if length(v_hex) = 32 then
  v_seqs := array(select j.seq from jobplane.tenants t, lateral (select j.seq from jobplane.jobs j where j.tenant_id = t.tenant_id and j.id = v_hex::uuid offset 0) j
                   where j.seq < v_before order by j.seq desc);
end if;
v_begin := case when v_by_facts then '{}' else v_statuses end;
if cardinality(v_seqs) > 0 then
  v_by_facts := true;
elsif v_begin @> '{queued,running,succeeded,failed,dead_letter,canceled}' then
  v_seqs := array(select j.seq from jobplane.jobs j where j.seq < v_before order by j.seq desc limit v_scan);
  if cardinality(v_seqs) = v_scan then v_rest.cursor := v_seqs[v_scan]; end if;
else
  v_ended := array(select distinct s from unnest(v_begin) s where s not in ('queued', 'running'));
  /*statement:list_all_seqs*/;
end if;
