-- register_worker: make a worker known, with the queues it serves and the definitions it can run (null: any); the same id again replaces it
-- What nobody could run before goes back to ready.
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.register_worker(p_worker_id text, p_queues text[], p_definitions text[] default null, p_hostname text default '', p_pid int default null,
                                                    p_version text default '', p_slots int default 0, p_metadata jsonb default '{}') returns void
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  v_now constant timestamptz := jobplane.clock();
  v_ids constant int[] := case when p_definitions is not null then array(select d.definition_id from jobplane.definitions d where d.key = any (p_definitions)) end;
begin
  if exists (select from unnest(p_queues) n where not exists (select from jobplane.queues q where q.name = n)) then
    raise exception 'There is no queue "%". Check the spelling, or create it first.', (select left(n, 200) from unnest(p_queues) n where not exists (select from jobplane.queues q where q.name = n) limit 1)
      using errcode = 'JP006', hint = 'Create it with jobplane.put_queues.';
  end if;
  insert into jobplane.workers values (p_worker_id, p_hostname, p_pid, p_version, p_queues, p_definitions, v_ids, p_slots, 0, coalesce(p_metadata, '{}'), v_now, v_now)
  on conflict (worker_id) do update
    set hostname = excluded.hostname, pid = excluded.pid, version = excluded.version, queues = excluded.queues, definitions = excluded.definitions,
        definition_ids = excluded.definition_ids, slots = excluded.slots, metadata = excluded.metadata, last_seen_at = excluded.last_seen_at,
        draining = false;
  perform jobplane.release_held(array[g.gate], array[1000], true)
    from (select distinct h.gate from jobplane.held h where h.gate >= 'w/' and h.gate < 'w0' and (v_ids is null or substr(h.gate, 3)::int = any (v_ids))) g;
exception when check_violation or not_null_violation then
  raise exception 'A worker needs an id of 1 to 200 characters and a list of queues.' using errcode = 'JP002';
end $$;
