-- prune_logs: drop the oldest block of a million jobs' logs, once all of these jobs have ended and their logs are past their time
-- in:  how many days after an attempt its lines are kept, where its definition does not say so itself (retention_days_logs)
-- out: 1: a block went, ask again; 0: none is past its time, or somebody is reading or writing logs just now
-- owner: engine
-- for: scheduler
create or replace function jobplane.prune_logs(p_retention_days int default 7) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
declare
  v_now   constant timestamptz := jobplane.clock();
  v_last  constant bigint := coalesce(pg_sequence_last_value('jobplane.jobs_seq_seq'), 0);
  v_most  interval;
  v_block bigint;
  v_from  bigint;
  v_to    bigint;
begin
  if p_retention_days is null or p_retention_days not between 0 and 36500 then
    raise exception 'The retention_days must be between 0 and 36500, not %.', p_retention_days using errcode = 'JP002';
  end if;
  select make_interval(hours => 24 * least(greatest(max(d.retention_days_logs), p_retention_days), 36500)) into v_most from jobplane.definitions d;
  for v_block in select substr(c.relname, 6)::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'jobplane.logs'::regclass order by 1 loop
    v_from := v_block * 1000000;
    v_to := v_from + 1000000;
    exit when v_to > v_last;
    continue when exists (select from jobplane.leases l where l.seq >= v_from and l.seq < v_to)
               or exists (select from jobplane.ready w where w.seq >= v_from and w.seq < v_to and w.attempt_no > 0)
               or exists (select from jobplane.held w where w.seq >= v_from and w.seq < v_to and w.attempt_no > 0)
               or exists (select from jobplane.upcoming w where w.seq >= v_from and w.seq < v_to and w.attempt_no > 0);
    perform from (select a.seq, a.finished_at from jobplane.attempts a where a.seq >= v_from and a.seq < v_to and a.finished_at > v_now - v_most order by a.seq desc offset 0) a
      left join jobplane.jobs j on j.seq = a.seq left join jobplane.definitions d on d.definition_id = j.definition_id
     where a.finished_at > v_now - make_interval(hours => 24 * least(coalesce(d.retention_days_logs, p_retention_days), 36500)) limit 1;
    continue when found;
    return jobplane.drop_log_block(v_block)::int;
  end loop;
  return 0;
end $$;
