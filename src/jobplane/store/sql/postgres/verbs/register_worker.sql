-- register_worker: make a worker known, with the queues it serves and the definitions that it has handlers for (null: any but commands), the commands that its policy
-- names as they are, and those of its policy that differ from it (mismatched); the same id again replaces it
-- A definition that is a command by now counts among the commands alone: no handler of its key runs its jobs.
-- Jobs that no worker could run before go back to ready. So do those of its mismatched commands: the next claim holds them again, with the reason policy_mismatch.
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.register_worker(p_worker_id text, p_queues text[], p_definitions text[] default null, p_hostname text default '', p_pid int default null,
                                                    p_version text default '', p_slots int default 0, p_metadata jsonb default '{}',
                                                    p_mismatched text[] default '{}', p_commands text[] default '{}') returns void
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  v_now constant timestamptz := jobplane.clock();
  v_given constant text[] := p_definitions || coalesce(p_commands, '{}');
  v_commands constant text[] := array(select d.key from jobplane.definitions d where d.key = any (v_given) and d.kind = 'command' and d.deleted_at is null);
  v_known constant text[] := case when p_definitions is not null then
    array(select k.key from unnest(v_given) with ordinality k(key, n)
           where case when k.key = any (v_commands) then k.key = any (p_commands) else k.key = any (p_definitions) end group by k.key order by min(k.n)) end;
  v_ids constant int[] := case when p_definitions is not null then array(select d.definition_id from jobplane.definitions d where d.key = any (v_known)) end;
begin
  if exists (select from unnest(p_queues) n where not exists (select from jobplane.queues q where q.name = n)) then
    raise exception 'There is no queue "%". Check the spelling, or create it first.', (select left(n, 200) from unnest(p_queues) n where not exists (select from jobplane.queues q where q.name = n) limit 1)
      using errcode = 'JP006', hint = 'Create it with jobplane.put_queues.';
  end if;
  insert into jobplane.workers (worker_id, hostname, pid, version, queues, definitions, definition_ids, slots, metadata, started_at, last_seen_at, mismatched)
  values (p_worker_id, p_hostname, p_pid, p_version, p_queues, v_known, v_ids, p_slots, coalesce(p_metadata, '{}'), v_now, v_now, coalesce(p_mismatched, '{}'))
  on conflict (worker_id) do update
    set hostname = excluded.hostname, pid = excluded.pid, version = excluded.version, queues = excluded.queues, definitions = excluded.definitions,
        definition_ids = excluded.definition_ids, slots = excluded.slots, metadata = excluded.metadata, last_seen_at = excluded.last_seen_at,
        draining = false, mismatched = excluded.mismatched, outdated = false;
  perform jobplane.release_held(array[g.gate], array[1000], true)
    from (select distinct h.gate from jobplane.held h where h.gate >= 'w/' and h.gate < 'w0') g
   cross join lateral (select * from jobplane.definitions d where d.definition_id = case when g.gate ~ '^w/[0-9]{1,9}$' then substr(g.gate, 3)::int end offset 0) d
   where coalesce(d.definition_id = any (v_ids), d.kind is distinct from 'command') or d.kind = 'command' and d.key = any (p_mismatched);
exception when check_violation or not_null_violation then
  raise exception 'A worker needs an id of 1 to 200 characters and a list of queues.' using errcode = 'JP002';
end $$;
