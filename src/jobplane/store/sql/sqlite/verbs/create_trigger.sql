-- create_trigger: a rule of the tenant that is set, given as a JSON object
-- in:  document: id (null: a new one), label, definition_key, trigger_type (schedule), cron_expr or interval_seconds or once; key, timezone (null: the tenant's), starts_at, ends_at,
--      payload_template, missed (latest | skip | all), missed_limit, overlap (allow | skip | queue_one | cancel_previous), spread_seconds, pause_after_failures,
--      max_attempts, priority, queue, backoff {base, factor, cap, jitter}, is_enabled, disabled_reason; next_run_at, due_at and zone_version as the caller has computed them
-- out: the trigger

-- statement: taken
select 1 from jobplane_triggers where tenant_no = ? and key = ? and trigger_id <> ?
