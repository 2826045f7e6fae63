-- definitions: what all verbs that change definitions do

-- statement: queue
select queue_id from jobplane_queues where name = ?

-- statement: queue_name
select name from jobplane_queues where queue_id = ?

-- statement: insert
insert into jobplane_definitions (id, key, queue_id, created_at, updated_at) values (?, ?, ?, ?, ?)

-- statement: by_key
select /*statement:stored_definition*/
  from jobplane_definitions where key = ?

-- statement: by_id
select /*statement:stored_definition*/
  from jobplane_definitions where id = ?

-- statement: of_app
select /*statement:stored_definition*/
  from jobplane_definitions where app = ? order by key

-- statement: update
-- A text that cannot be decoded and is not named stays as it is: it comes and goes as bytes.
update jobplane_definitions
   set kind = ?, description = cast(? as text), arg_schema = cast(? as text), queue_id = ?, priority = ?, timeout_seconds = ?, max_attempts = ?, backoff_base = ?,
       backoff_factor = ?, backoff_cap = ?, backoff_jitter = ?, max_running = ?, max_running_per_tenant = ?, retention_days = ?, retention_days_logs = ?,
       retention_count = ?, active = ?, origin = ?, tags = cast(? as text), isolation = ?, on_lost_contact = ?, system = ?, metadata = cast(? as text),
       default_payload = cast(? as text), command = cast(? as text), app = ?, app_version = ?, app_version_order = ?, overridden = cast(? as text), code = cast(? as text), definition_hash = ?,
       deleted_from_code = ?, deleted_at = ?, revision = ?, updated_at = ?
 where definition_id = ?

-- statement: version
update jobplane_definitions set app_version = ?, app_version_order = ? where definition_id in (select value from json_each(?))

-- statement: that_know
-- Workers that know a command of this key, or have it in their policy.
select worker_id, definitions from jobplane_workers where instr(definitions, ?) or instr(mismatched, ?)

-- statement: forget
update jobplane_workers set outdated = 1, definitions = ? where worker_id = ?

-- statement: leases
select seq, limit_keys, tenant_no from jobplane_leases where definition_id = ?
