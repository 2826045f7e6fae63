-- lock_limits: the room that each key has, under its row's lock, always taken in the order of the keys; roomy: every key is ours and has room for all who want it.
-- A row for a new key is made here, by the claim, in the same order: an enqueue would keep it locked until its application commits. Only the first round of a
-- claim waits; a later one could close a circle with another claim, so it takes what is free, and the jobs whose keys are not stay for the next claim.
create or replace function jobplane.lock_limits(p_keys text[], p_maxes int[], p_wants int[], p_wait boolean, out keys text[], out rooms int[], out roomy boolean)
language plpgsql volatile as $$
begin
  if p_wait then
    if (select count(*) from jobplane.limits l where l.limit_key = any (p_keys)) < cardinality(p_keys) then
      insert into jobplane.limits (limit_key) select k from unnest(p_keys) k order by k collate "C" on conflict (limit_key) do update set used = limits.used;
    else
      perform from jobplane.limits l where l.limit_key = any (p_keys) order by l.limit_key for update;
    end if;
  end if;
  select array_agg(x.limit_key), array_agg(x.room), coalesce(bool_and(x.want <= x.room) and count(*) = cardinality(p_keys), false) into keys, rooms, roomy from (
    select l.limit_key, m.want, m.max - l.used as room from unnest(p_keys, p_maxes, p_wants) m(key, max, want) join jobplane.limits l on l.limit_key = m.key
     order by l.limit_key for update of l skip locked) x;
end $$;
