-- first_state: what a new job brings from its facts into its first state
seq, tenant_no, scheduled_for, expires_at, queue_id, definition_id, 0 as attempt_no, priority, max_attempts as attempts_left, 0 as interruptions,
dedupe_key is not null as deduped, 0 as alone
