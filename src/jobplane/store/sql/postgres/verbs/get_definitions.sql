-- get_definitions: definitions in the order of their keys, all or those named by key or id. Without names those that were deleted are left out
-- in:  include_system: whether those of the system come too, where none is named
-- owner: engine
-- for: app, worker, scheduler, admin
create or replace function jobplane.get_definitions(p_keys text[] default null, p_limit int default 100, p_after text default '', p_include_system boolean default true,
                                                    p_ids uuid[] default null)
returns table (definition_id int, key text, kind text, description text, arg_schema jsonb, queue text, priority int, timeout_seconds int, max_attempts int,
               backoff_base real, backoff_factor real, backoff_cap real, backoff_jitter real, max_running int, max_running_per_tenant int, retention_days int,
               retention_days_logs int, active boolean, origin text, tags text[], isolation text, on_lost_contact text, created_at timestamptz, updated_at timestamptz,
               id uuid, app text, app_version text, overridden text[], code jsonb, definition_hash text, revision int, retention_count int, deleted_from_code boolean,
               deleted_at timestamptz, system boolean, metadata jsonb, default_payload jsonb, command jsonb)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select d.definition_id, d.key, d.kind, d.description, d.arg_schema, q.name, d.priority::int, d.timeout_seconds, d.max_attempts::int, d.backoff_base, d.backoff_factor,
         d.backoff_cap, d.backoff_jitter, d.max_running, d.max_running_per_tenant, d.retention_days, d.retention_days_logs, d.active, d.origin, d.tags,
         d.isolation, d.on_lost_contact, d.created_at, d.updated_at, d.id, d.app, d.app_version, d.overridden, d.code, d.definition_hash, d.revision, d.retention_count,
         d.deleted_from_code, d.deleted_at, d.system, d.metadata, d.default_payload, d.command
    from jobplane.definitions d join jobplane.queues q using (queue_id)
   where d.key > p_after and (p_keys is null or d.key = any (p_keys)) and (p_ids is null or d.id = any (p_ids))
     and (p_keys is not null or p_ids is not null or d.deleted_at is null and (p_include_system or not d.system))
   order by d.key limit least(greatest(p_limit, 1), 1000)
$$;
