-- check_definition: a document of a definition names only what can be set
create or replace function jobplane.check_definition(p_doc jsonb) returns void language plpgsql immutable as $$
begin
  perform jobplane.refuse_unknown(p_doc, '{key,kind,description,arg_schema,queue,priority,timeout_seconds,max_attempts,backoff,max_running,max_running_per_tenant,retention_days,retention_days_logs,retention_count,active,origin,tags,isolation,on_lost_contact,system,metadata,default_payload,command}');
  perform jobplane.refuse_unknown(coalesce(p_doc -> 'backoff', '{}'), '{base,factor,cap,jitter}');
end $$;
