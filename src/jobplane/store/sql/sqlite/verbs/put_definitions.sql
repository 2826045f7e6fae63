-- put_definitions: make or change definitions, each given as a JSON object with its key; what a document does not name keeps its value, or the default
-- in:  documents: key, kind, description, arg_schema, queue, priority, timeout_seconds, max_attempts, backoff {base, factor, cap, jitter}, max_running,
--      max_running_per_tenant, retention_days, retention_days_logs, active, origin, tags, isolation (shared | process),
--      on_lost_contact (stop | continue)
-- out: key, definition_id, created. From its commit on no claim exceeds a limit. One bad document refuses the whole call: it is configuration.
-- A schema with a $ref that does not begin with # is refused. Python also refuses a schema that cannot be compiled; SQL cannot know.

-- statement: queue
select queue_id from jobplane_queues where name = ?

-- statement: insert
insert into jobplane_definitions (key, queue_id, created_at, updated_at) values (?, ?, ?, ?)

-- statement: old
select definition_id, kind, description, arg_schema, queue_id, priority, timeout_seconds, max_attempts, backoff_base, backoff_factor, backoff_cap, backoff_jitter,
       max_running, max_running_per_tenant, retention_days, retention_days_logs, active, origin, tags, isolation, on_lost_contact
  from jobplane_definitions where key = ?

-- statement: update
-- A text that cannot be decoded and is not named stays as it is: it comes and goes as bytes.
update jobplane_definitions
   set kind = ?, description = cast(? as text), arg_schema = cast(? as text), queue_id = ?, priority = ?, timeout_seconds = ?, max_attempts = ?, backoff_base = ?,
       backoff_factor = ?, backoff_cap = ?, backoff_jitter = ?, max_running = ?, max_running_per_tenant = ?, retention_days = ?, retention_days_logs = ?, active = ?,
       origin = ?, tags = cast(? as text), isolation = ?, on_lost_contact = ?, updated_at = ?
 where definition_id = ?

-- statement: leases
select seq, limit_keys, tenant_no from jobplane_leases where definition_id = ?
