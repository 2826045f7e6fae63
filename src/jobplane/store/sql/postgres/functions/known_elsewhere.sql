-- known_elsewhere: those of the gates 'w/<definition>' that some live worker of the queue could open. A worker is live for a minute after it was seen.
-- `worker_id > ''` holds for all, and lets the primary key serve where a sequential scan is forbidden.
create or replace function jobplane.known_elsewhere(p_gates text[], p_queue int) returns text[] language sql stable as $$
  select array(
    select g from unnest(p_gates) g
     where exists (select from jobplane.workers w join jobplane.queues q on q.queue_id = p_queue
                    where w.worker_id > '' and w.last_seen_at > jobplane.clock() - interval '60 s' and q.name = any (w.queues)
                      and (w.definition_ids is null or substr(g, 3)::int = any (w.definition_ids))))
$$;
