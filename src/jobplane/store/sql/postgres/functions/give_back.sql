-- give_back: slots come back. Lock, in the order of the keys, then look who waits for them: a claim that found the gate full has either moved its rows
-- to held before we get the lock, and we see them, or it gets the lock after us, and sees the room.
create or replace function jobplane.give_back(p_keys text[]) returns void language plpgsql volatile as $$
declare
  v_keys    text[];
  v_n       int[];
  v_waiting text[];
  v_free    int[];
begin
  select array_agg(k order by k), array_agg(n order by k) into v_keys, v_n from (select k collate "C" as k, count(*)::int as n from unnest(p_keys) k group by 1) x;
  perform from jobplane.limits where limit_key = any (v_keys) order by limit_key for update;
  with u as (
    update jobplane.limits l set used = l.used - m.n from unnest(v_keys, v_n) m(k, n) where l.limit_key = m.k returning l.limit_key, l.waiting, m.n)
  select array_agg(u.limit_key), array_agg(u.n) into v_waiting, v_free from u where u.waiting;
  if v_waiting is null then return; end if;
  if jobplane.release_held(v_waiting, v_free, false) < (select sum(n) from unnest(v_free) n) then
    update jobplane.limits l set waiting = false
     where l.limit_key = any (v_waiting) and l.waiting and not exists (select from jobplane.held h where h.gate = l.limit_key);
  end if;
end $$;
