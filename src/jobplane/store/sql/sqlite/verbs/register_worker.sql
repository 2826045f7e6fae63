-- register_worker: make a worker known, with the queues it serves and the definitions that it has handlers for (null: any but commands), the commands that its policy
-- names as they are, and those of its policy that differ from it (mismatched); the same id again replaces it
-- A definition that is a command by now counts among the commands alone: no handler of its key runs its jobs.
-- Jobs that no worker could run before go back to ready. So do those of its mismatched commands: the next claim holds them again, with the reason policy_mismatch.

-- statement: unknown
select value from json_each(?) where value not in (select name from jobplane_queues) limit 1

-- statement: commands
select key from jobplane_definitions where kind = 'command' and deleted_at is null and key in (select value from json_each(?))

-- statement: upsert
insert into jobplane_workers (worker_id, hostname, pid, version, queues, definitions, slots, metadata, mismatched, started_at, last_seen_at)
values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
on conflict (worker_id) do update
  set hostname = excluded.hostname, pid = excluded.pid, version = excluded.version, queues = excluded.queues, definitions = excluded.definitions,
      slots = excluded.slots, metadata = excluded.metadata, last_seen_at = excluded.last_seen_at, draining = 0,
      mismatched = excluded.mismatched, outdated = 0

-- statement: held
select 'w/' || d.definition_id, d.key, d.kind from jobplane_definitions d where exists (select 1 from jobplane_held h where h.gate = 'w/' || d.definition_id)
