-- retention_rules: over all definitions: whether one sets how many ended jobs it keeps, and the least days that one sets for jobs and for log lines. All are read, so without the callers' switch
create or replace function jobplane.retention_rules(out counts boolean, out days int, out days_logs int) language sql stable set enable_seqscan = on as $$
  select coalesce(bool_or(d.retention_count is not null), false), min(d.retention_days), min(d.retention_days_logs) from jobplane.definitions d
$$;
