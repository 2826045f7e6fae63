-- get_definitions: definitions in the order of their keys, all or those named

-- statement: page
select d.definition_id, d.key, d.kind, d.description, d.arg_schema, q.name, d.priority, d.timeout_seconds, d.max_attempts, d.backoff_base, d.backoff_factor,
       d.backoff_cap, d.backoff_jitter, d.max_running, d.max_running_per_tenant, d.retention_days, d.retention_days_logs, d.active, d.origin, d.tags,
       d.isolation, d.on_lost_contact, d.created_at, d.updated_at
  from jobplane_definitions d join jobplane_queues q using (queue_id) where d.key > cast(? as text) order by d.key limit ?

-- statement: named
select d.definition_id, d.key, d.kind, d.description, d.arg_schema, q.name, d.priority, d.timeout_seconds, d.max_attempts, d.backoff_base, d.backoff_factor,
       d.backoff_cap, d.backoff_jitter, d.max_running, d.max_running_per_tenant, d.retention_days, d.retention_days_logs, d.active, d.origin, d.tags,
       d.isolation, d.on_lost_contact, d.created_at, d.updated_at
  from jobplane_definitions d join jobplane_queues q using (queue_id)
 where d.key > cast(? as text) and d.key in (select value from json_each(?)) order by d.key limit ?
