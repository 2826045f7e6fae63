-- find_seqs: the newest candidates for a tenant's list: the job with a whole id, or by an index of their facts, or from the tables that hold the statuses asked for
-- params: v_tenant uuid, v_statuses text[], v_before bigint, v_scan int, v_by_facts boolean, v_hex text, v_owner jsonb, v_project jsonb, p_worker_id text, p_correlation_id text, p_trigger_id uuid
if length(v_hex) = 32 then
  v_seqs := array(select j.seq from jobplane.jobs j where j.tenant_id = v_tenant and j.id = v_hex::uuid and j.seq + 0 < v_before);
end if;
if cardinality(v_seqs) > 0 then
  v_by_facts := true;
elsif p_correlation_id is not null then
  v_seqs := array(select j.seq from jobplane.jobs j where j.tenant_id = v_tenant and j.correlation_id = p_correlation_id and j.seq + 0 < v_before order by j.seq + 0 desc limit v_scan);
elsif p_trigger_id is not null then
  v_seqs := array(select j.seq from jobplane.jobs j where j.tenant_id = v_tenant and j.trigger_id = p_trigger_id and j.seq < v_before order by j.tenant_id desc, j.trigger_id desc, j.seq desc limit v_scan);
elsif v_by_facts then
  v_seqs := jobplane.owned_seqs(v_owner, v_project, v_before, v_scan);
else
  /*statement:list_seqs*/;
end if;
