-- stored_definition: a definition as its row has it
definition_id, key, kind, description, arg_schema, queue_id, priority, timeout_seconds, max_attempts, backoff_base, backoff_factor, backoff_cap, backoff_jitter,
       max_running, max_running_per_tenant, retention_days, retention_days_logs, retention_count, active, origin, tags, isolation, on_lost_contact, system,
       metadata, default_payload, command, app, app_version, app_version_order, overridden, code, definition_hash, deleted_from_code, deleted_at, revision
