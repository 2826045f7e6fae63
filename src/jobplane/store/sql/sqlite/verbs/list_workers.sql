-- list_workers: workers, the latest seen first, each with the start of the longest of its attempts that run now, and how long ago that was; live: seen within a minute

-- statement: list
select w.worker_id, w.hostname, w.pid, w.version, w.queues, w.definitions, w.slots, w.running_count, w.metadata, w.started_at, w.last_seen_at, w.last_seen_at > ?,
       w.draining, l.at, case when l.at <= ? then (? - max(l.at, 0)) / 1e6 end,
       w.mismatched, w.outdated
  from jobplane_workers w
  left join (select worker_id, min(started_at) as at from jobplane_leases group by worker_id) l on l.worker_id = w.worker_id
 order by w.last_seen_at desc, w.worker_id limit ?
