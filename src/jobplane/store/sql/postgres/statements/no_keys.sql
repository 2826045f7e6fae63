-- no_keys: what a job that goes the short way does not have
null as dedupe_key, null as idempotency_key, null::timestamptz as expires_at, null::jsonb as tags, null::jsonb as metadata, null::uuid as trigger_id, null::timestamptz as planned_at
