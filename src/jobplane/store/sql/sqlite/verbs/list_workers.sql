-- list_workers: workers, the latest seen first; live: seen within a minute

-- statement: list
select worker_id, hostname, pid, version, queues, definitions, slots, running_count, metadata, started_at, last_seen_at, last_seen_at > ?
  from jobplane_workers order by last_seen_at desc, worker_id limit ?
