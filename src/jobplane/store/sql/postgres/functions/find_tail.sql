-- find_tail: the tag at the end of a tenant's waiting jobs in one queue and priority; its next p_n jobs get base + step, base + 2 * step, …
--
-- Fairness rests on one rule: a tenant's waiting rows are a step apart on the average. "The last tag I can see, plus a step" breaks it: producers
-- that do not see each other's open transactions share each tag, and their tenant gets as many times its share. So we count what is visible: the
-- tail is where the newest rows would reach if they were a step apart. No lock, no state, right again after a rollback.
--
-- Counting alone is blind for what is in flight. So each takes the lowest free place (an advisory lock that nobody waits for, until its transaction
-- ends): who has place k has about twice k neighbours of its size whom it does not see, and leaves room for as many. One producer needs neither:
-- eight rows that are not crowded tell. A caller that has looked at those and found them crowded says so: of ten producers each does, and a second look
-- at the same rows costs 18 of 340 µs.
create or replace function jobplane.find_tail(p_queue int, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint,
                                              p_crowded boolean default false) returns bigint
language plpgsql volatile set enable_seqscan = off set enable_sort = off set enable_incremental_sort = off as $$
declare
  v_last  bigint;
  v_end   bigint;
  v_place int := 0;
  v_probe bigint := case when p_n > 1 then 128 + 8 * p_n when p_crowded then 128 else 8 end;
begin
  loop
    /*statement:tail_newest*/;
    exit when v_probe > 8;
    if v_end <= v_last or v_last is null then
      return coalesce(v_last, v_end);
    end if;
    v_probe := 128;
  end loop;
  while v_place < 32
    and not pg_try_advisory_xact_lock(74100 + v_place, hashtext(concat_ws('/', p_tenant, p_queue, p_priority, case when p_n > 1 then log(4, p_n)::int end))) loop
    v_place := v_place + 1;
  end loop;
  return v_end + 2 * v_place * p_n * p_step;
end $$;
