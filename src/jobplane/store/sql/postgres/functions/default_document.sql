-- default_document: what a definition has of which nobody has said anything
create or replace function jobplane.default_document() returns jsonb language sql immutable as $$
  select '{"kind": null, "description": "", "arg_schema": {"type": "object", "additionalProperties": false}, "queue": "default", "priority": 100,
           "timeout_seconds": 3600, "max_attempts": 3, "backoff": {"base": 5, "factor": 2, "cap": 300, "jitter": 0.5}, "max_running": null,
           "max_running_per_tenant": null, "retention_days": null, "retention_days_logs": null, "retention_count": null, "active": true, "origin": "db", "tags": [],
           "isolation": "shared", "on_lost_contact": "stop", "system": false, "metadata": {}, "default_payload": null, "command": null}'::jsonb
$$;
