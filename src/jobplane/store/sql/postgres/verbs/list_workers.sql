-- list_workers: workers, the latest seen first, each with the start of the longest of its attempts that run now, and how long ago that was; live: seen within a minute
-- owner: engine
-- for: admin, worker, scheduler
create or replace function jobplane.list_workers(p_limit int default 100)
returns table (worker_id text, hostname text, pid int, version text, queues text[], definitions text[], slots int, running_count int, metadata jsonb,
               started_at timestamptz, last_seen_at timestamptz, live boolean, draining boolean, oldest_lease_at timestamptz, longest_lease_seconds double precision,
               mismatched text[], outdated boolean)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select w.worker_id, w.hostname, w.pid, w.version, w.queues, w.definitions, w.slots, w.running_count, w.metadata, w.started_at, w.last_seen_at,
         w.last_seen_at > c.now - interval '60 s', w.draining, l.at, case when l.at <= c.now then extract(epoch from c.now - greatest(l.at, 'epoch')) end,
         w.mismatched, w.outdated
    from (select jobplane.clock() as now offset 0) c, jobplane.workers w
    left join (select l.worker_id, min(l.started_at) as at from jobplane.leases l group by l.worker_id) l on l.worker_id = w.worker_id
   order by w.last_seen_at desc, w.worker_id limit least(greatest(p_limit, 1), 1000)
$$;
