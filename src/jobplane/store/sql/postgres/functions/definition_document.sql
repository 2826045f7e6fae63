-- definition_document: what a document can say of a definition, as it is
create or replace function jobplane.definition_document(p_of jobplane.definitions) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'kind', p_of.kind, 'description', p_of.description, 'arg_schema', p_of.arg_schema,
    'queue', (select q.name from jobplane.queues q where q.queue_id = p_of.queue_id), 'priority', p_of.priority, 'timeout_seconds', p_of.timeout_seconds,
    'max_attempts', p_of.max_attempts,
    'backoff', jsonb_build_object('base', p_of.backoff_base, 'factor', p_of.backoff_factor, 'cap', p_of.backoff_cap, 'jitter', p_of.backoff_jitter),
    'max_running', p_of.max_running, 'max_running_per_tenant', p_of.max_running_per_tenant, 'retention_days', p_of.retention_days,
    'retention_days_logs', p_of.retention_days_logs, 'retention_count', p_of.retention_count, 'active', p_of.active, 'origin', p_of.origin, 'tags', p_of.tags,
    'isolation', p_of.isolation, 'on_lost_contact', p_of.on_lost_contact, 'system', p_of.system, 'metadata', p_of.metadata, 'default_payload', p_of.default_payload,
    'command', p_of.command)
$$;
