-- take: what claim and claim_encoded do: lease up to p_limit jobs of one queue under one token; begun: their handlers start at once
create or replace function jobplane.take(p_queue text, p_worker_id text, p_limit int, p_lease_seconds int, p_begun boolean, p_token uuid)
returns table (seq bigint, tenant_id uuid, definition_id int, attempt_no int, attempts_left int, lease_expires_at timestamptz, scheduled_for timestamptz,
               priority smallint, alone boolean, job jobplane.jobs, more boolean)
language plpgsql volatile as $$
#variable_conflict use_column
declare
  v_now         timestamptz;
  v_lease       interval := make_interval(secs => p_lease_seconds);
  v_queue       int;
  v_paused      boolean;
  v_unknown     boolean;
  v_knows       int[];
  v_there       int[];
  v_tenants     uuid[];
  v_definitions int[];
  v_turn        bigint;
  v_left        int := p_limit;
  v_looks       int := 10 * p_limit;
  v_waits       boolean := true;
  v_lanes       smallint[];
  v_lows        bigint[];
  v_advances    timestamptz[];
  v_priority    smallint;
  v_low         bigint;
  v_from        bigint;
  v_advanced_at timestamptz;
  v_quota       int;
  v_lower       int[] := '{}';
  v_at          int;
  v_n           int;
  v_batch       jobplane.candidate[];
  v_kept        jobplane.candidate[];
  v_passed      tid[];
  v_keys        text[];
  v_maxes       int[];
  v_wants       int[];
  v_roomy       boolean;
  v_again       boolean := false;                     -- a later round did not get the lock of a limit: the first one of the next claim does; or rows came back
  v_rooms       int[];
  v_elsewhere   text[];
  v_commands    text[];
  v_gone        text[] := '{}';
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit must be between 1 and 1000, not %.', p_limit using errcode = 'JP002';
  elsif p_lease_seconds is null or p_lease_seconds not between 5 and 3600 then
    raise exception 'The lease_seconds must be between 5 and 3600, not %.', p_lease_seconds using errcode = 'JP002';
  elsif p_worker_id is null or length(p_worker_id) not between 1 and 200 then
    raise exception 'The worker_id must have 1 to 200 characters.' using errcode = 'JP002';
  end if;
  lock table jobplane_locks.gates in row share mode;    -- first lock, then look: who changes a gate takes it alone and counts what runs
  /*statement:claim_begin*/;
  if v_queue is null then
    raise exception 'There is no queue "%". Check the spelling, or create it first.', left(p_queue, 200) using errcode = 'JP006', hint = 'Create it with jobplane.put_queues.';
  elsif v_paused then
    return;
  elsif v_unknown then
    perform jobplane.open_lanes(v_queue);
    /*statement:claim_begin*/;
  end if;
  v_now := jobplane.clock();
  -- Strict priority, but a sixteenth of what a queue hands out comes from one of the lower priorities, in turn; an empty one is skipped.
  -- Turns are counted for all queues together: which of sixteen it is differs from queue to queue and time to time, or a worker that goes round its queues
  -- would come to one of them at the wrong turns only.
  if cardinality(v_lanes) > 1 then                      -- a claim that takes nothing writes nothing, but for a turn in 32
    v_turn := nextval('jobplane.turns');
    v_quota := (p_limit + ((v_turn + hashint8(v_turn / 16 * 1000003 + v_queue)) & 15)) / 16;
  end if;
  if v_quota > 0 then
    v_lower := array(select l.place from unnest(v_lanes, v_lows) with ordinality l(priority, low, place),
                       lateral (select from jobplane.ready r where r.seq > 0 and r.queue_id = v_queue and r.priority = l.priority and r.tag >= l.low limit 1) r
                      where l.place > 1 order by l.place);
  end if;
  if v_lower <> '{}' then
    v_at := v_lower[1 + (v_turn / 16) % cardinality(v_lower)];
    v_advances := v_advances[v_at] || v_advances;
    v_lows := v_lows[v_at] || v_lows;
    v_lanes := v_lanes[v_at] || v_lanes;
  else
    v_quota := 0;
  end if;
  for v_lane in 1..coalesce(cardinality(v_lanes), 0) loop
    v_priority := v_lanes[v_lane];
    v_n := case when v_lane = 1 and v_quota > 0 then v_quota else v_left end;
    v_low := v_lows[v_lane];
    v_advanced_at := v_advances[v_lane];
    if cardinality(v_tenants) <= 64 and cardinality(v_definitions) <= 64 then
      declare
        v_got int;
      begin
        return query
        /*statement:claim_open*/;
        get diagnostics v_got = row_count;
        v_left := v_left - v_got;
        v_n := v_n - v_got;
      end;
    end if;
    exit when v_left = 0;
    continue when v_n = 0;
    -- What a gate has to look at is rare, and the look at an empty lane is a tenth of the claim of one job: see first whether anything is left.
    continue when not exists (/*statement:claim_left*/);
    v_from := v_low;
    v_passed := '{}';
    while v_n > 0 and v_looks > 0 loop                  -- rows that a gate has to look at
      /*statement:claim_look*/;
      exit when v_batch is null;
      v_looks := v_looks - cardinality(v_batch);
      if v_from <> v_batch[cardinality(v_batch)].tag then v_passed := '{}'; end if;
      v_from := v_batch[cardinality(v_batch)].tag;
      select array_agg(k), array_agg(m), array_agg(n) into v_keys, v_maxes, v_wants
        from (select k collate "C" as k, min(m) as m, count(*)::int as n
                from (select unnest(c.keys) as k, unnest(c.maxes) as m from unnest(v_batch) c where c.gate is null and not c.expired) u group by 1 order by 1) x;
      if v_keys is not null then
        select l.keys, l.rooms, l.roomy and v_roomy into v_keys, v_rooms, v_roomy from jobplane.lock_limits(v_keys, v_maxes, v_wants, v_waits) l;
        v_waits := false;
        v_now := jobplane.clock();                      -- again: whoever gave the slot back may have ended after we came
      end if;
      if not v_roomy then                               -- some gate is shut, or shuts within this batch
        v_commands := array(select distinct c.gate from unnest(v_batch) c where c.reason = 'policy_mismatch');
        v_elsewhere := array(select distinct c.gate from unnest(v_batch) c where c.gate like 'w/%');
        -- Of these gates, those that some live worker of the queue could open. `worker_id > ''` holds for all, and lets the primary key serve.
        v_elsewhere := array(select g from unnest(v_elsewhere) g
                              where exists (select from jobplane.workers w where w.worker_id > '' and w.last_seen_at > v_now - interval '60 s' and p_queue = any (w.queues)
                                               and (substr(g, 3)::int = any (w.definition_ids) or w.definition_ids is null and g <> all (v_commands))));
        if v_commands <> '{}' then                      -- of those of commands, the ones that no live worker of the queue has in its policy, with another definition
          v_commands := array(select g from unnest(v_commands) g, lateral (select d.key from jobplane.definitions d where d.definition_id = substr(g, 3)::int offset 0) d
                               where not exists (select from jobplane.workers w where w.worker_id > '' and w.last_seen_at > v_now - interval '60 s' and p_queue = any (w.queues)
                                                    and d.key = any (w.mismatched)));
        end if;
        v_kept := array(select row(c.tid, c.tag, c.keys, c.maxes, c.gate, case when c.gate = any (v_commands) then 'no_worker' else c.reason end, c.expired)::jobplane.candidate
                          from unnest(v_batch) c
                         where not c.expired and (c.gate is not null or c.keys <@ coalesce(v_keys, '{}')) and coalesce(c.gate, '') <> all (v_elsewhere));
        v_again := v_again or exists (select from unnest(v_batch) c where c.gate is null and not c.expired and not c.keys <@ coalesce(v_keys, '{}'));
        v_gone := v_gone || array(select distinct c.gate from unnest(v_batch) c where c.reason = 'definition_gone');
        v_passed := v_passed || array(select c.tid from unnest(v_batch) c where c.tag = v_from and c.tid <> all (array(select k.tid from unnest(v_kept) k)));
        v_batch := jobplane.apportion(v_kept, v_keys, v_rooms);
      end if;
      declare
        v_got int;
      begin
        return query
        /*statement:claim_take*/;
        get diagnostics v_got = row_count;
        v_left := v_left - v_got;
        v_n := v_n - v_got;
      end;
    end loop;
    exit when v_left = 0;
  end loop;
  if v_gone <> '{}' then                                -- a definition of their key may be there, with another id
    v_again := (select sum(jobplane.let_back(g, 1000)) > 0 from (select distinct g from unnest(v_gone) g) x) or v_again;
  end if;
  if v_left > 0 and (v_looks <= 0 or v_again) then
    more := true;
    return next;
  end if;
end $$;
