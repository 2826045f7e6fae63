-- list_definitions: definitions as get_definitions has them, without isolation and on_lost_contact, for programs of schema 1
-- owner: engine
-- for: app, worker, scheduler, admin
create or replace function jobplane.list_definitions(p_keys text[] default null, p_limit int default 100, p_after text default '')
returns table (definition_id int, key text, kind text, description text, arg_schema jsonb, queue text, priority int, timeout_seconds int, max_attempts int,
               backoff_base real, backoff_factor real, backoff_cap real, backoff_jitter real, max_running int, max_running_per_tenant int, retention_days int,
               retention_days_logs int, active boolean, origin text, tags text[], created_at timestamptz, updated_at timestamptz)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select d.definition_id, d.key, d.kind, d.description, d.arg_schema, q.name, d.priority::int, d.timeout_seconds, d.max_attempts::int, d.backoff_base, d.backoff_factor,
         d.backoff_cap, d.backoff_jitter, d.max_running, d.max_running_per_tenant, d.retention_days, d.retention_days_logs, d.active, d.origin, d.tags, d.created_at,
         d.updated_at
    from jobplane.definitions d join jobplane.queues q using (queue_id)
   where d.key > p_after and (d.deleted_at is null and p_keys is null or d.key = any (p_keys)) order by d.key limit least(greatest(p_limit, 1), 1000)
$$;
