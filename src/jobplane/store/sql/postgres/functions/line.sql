-- line: the end of a tenant's line in one queue and priority; its next p_n jobs get base + step, base + 2 * step, …
--
-- Fairness rests on one rule: a tenant's waiting rows are a step apart on the average. "The last tag I can see, plus a step" breaks it: producers
-- that do not see each other's open transactions share each tag, and their tenant gets as many times its share. So we count what is
-- visible: if the newest rows are crowded, the line ends where they would reach if they were not. No lock, no state, right again after a rollback.
--
-- One by one: eight rows tell whether there is one producer; if not, the newest 512 are counted.
-- A batch in flight is unseen by its neighbours, and too large for counting to make up for. So each takes the lowest free place (an advisory lock
-- that nobody waits for) and leaves room for the batches before it; and it counts both ways, so that the room of one that rolled back is filled.
create or replace function jobplane.line(p_queue int, p_priority smallint, p_tenant uuid, p_now bigint, p_step bigint, p_n bigint) returns bigint
language plpgsql volatile as $$
declare
  v_last  bigint;
  v_first bigint;
  v_count bigint;
  v_end   bigint;
  v_place int := 0;
  v_batch constant boolean := p_n >= 16;
  v_probe bigint := case when v_batch then 512 + 8 * p_n else 8 end;
begin
  loop
    /*statement:line_newest*/;
    if v_count < v_probe then                                   -- the whole line, which starts now
      v_end := greatest(p_now + v_count * p_step, p_now);
      exit;
    end if;
    v_end := v_first + (v_count - 1) * p_step;
    exit when v_probe > 8 or v_end <= v_last;                   -- not crowded
    v_probe := 512;
  end loop;
  if not v_batch then
    return greatest(v_end, v_last);
  end if;
  while v_place < 32 and not pg_try_advisory_xact_lock(74100 + v_place, hashtext(concat(p_tenant, p_queue, p_priority))) loop
    v_place := v_place + 1;
  end loop;
  return v_end + v_place * p_n * p_step;
end $$;
