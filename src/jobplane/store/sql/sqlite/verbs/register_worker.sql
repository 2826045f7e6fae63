-- register_worker: make a worker known, with the queues it serves and the definitions it can run (null: any); the same id again replaces it
-- What nobody could run before goes back to ready.

-- statement: unknown
select value from json_each(?) where value not in (select name from jobplane_queues) limit 1

-- statement: upsert
insert into jobplane_workers (worker_id, hostname, pid, version, queues, definitions, slots, metadata, started_at, last_seen_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (worker_id) do update
  set hostname = excluded.hostname, pid = excluded.pid, version = excluded.version, queues = excluded.queues, definitions = excluded.definitions,
      slots = excluded.slots, metadata = excluded.metadata, last_seen_at = excluded.last_seen_at, draining = 0

-- statement: held
select 'w/' || d.definition_id, d.key from jobplane_definitions d where exists (select 1 from jobplane_held h where h.gate = 'w/' || d.definition_id)
