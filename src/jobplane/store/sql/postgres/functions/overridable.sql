-- overridable: the fields of a definition from code that a person may set; sync leaves those alone that a person has set
create or replace function jobplane.overridable() returns text[] language sql immutable as $$
  select '{description,queue,priority,timeout_seconds,max_attempts,backoff,max_running,max_running_per_tenant,retention_days,retention_days_logs,retention_count,active,tags,system,metadata,default_payload}'::text[]
$$;
