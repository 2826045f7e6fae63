-- list_workers: workers, the latest seen first; live: seen within a minute
-- owner: engine
-- for: admin, worker, scheduler
create or replace function jobplane.list_workers(p_limit int default 100)
returns table (worker_id text, hostname text, pid int, version text, queues text[], definitions text[], slots int, running_count int, metadata jsonb,
               started_at timestamptz, last_seen_at timestamptz, live boolean)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  select w.worker_id, w.hostname, w.pid, w.version, w.queues, w.definitions, w.slots, w.running_count, w.metadata, w.started_at, w.last_seen_at,
         w.last_seen_at > jobplane.clock() - interval '60 s'
    from jobplane.workers w order by w.last_seen_at desc, w.worker_id limit least(greatest(p_limit, 1), 1000)
$$;
