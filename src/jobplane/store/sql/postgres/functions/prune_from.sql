-- prune_from: the seq below which a walk over jobs begins that goes from the newest to the oldest: above the newest job, or where jobs are only counted by their age,
-- above the first that were made after p_made_until: none of these can have ended before. Jobs are made in the order of their seqs, so it is found in some twenty looks
create or replace function jobplane.prune_from(p_made_until timestamptz) returns bigint language plpgsql volatile as $$
declare
  v_low  bigint := 0;
  v_high bigint := coalesce((select max(j.seq) from jobplane.jobs j), 0) + 1;
  v_middle bigint;
begin
  while p_made_until is not null and v_high - v_low > 1000 loop
    v_middle := (v_low + v_high) / 2;
    if (select j.created_at from jobplane.jobs j where j.seq >= v_middle order by j.seq limit 1) > p_made_until then
      v_high := v_middle;
    else
      v_low := v_middle;
    end if;
  end loop;
  return v_high;
end $$;
