-- definition_columns: what get_definitions shows of a definition
d.definition_id, d.key, d.kind, d.description, d.arg_schema, q.name, d.priority, d.timeout_seconds, d.max_attempts, d.backoff_base, d.backoff_factor,
       d.backoff_cap, d.backoff_jitter, d.max_running, d.max_running_per_tenant, d.retention_days, d.retention_days_logs, d.active, d.origin, d.tags,
       d.isolation, d.on_lost_contact, d.created_at, d.updated_at, d.id, d.app, d.app_version, d.overridden, d.code, d.definition_hash, d.revision,
       d.retention_count, d.deleted_from_code, d.deleted_at, d.system, d.metadata, d.default_payload, d.command
