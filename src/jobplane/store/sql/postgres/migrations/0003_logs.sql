-- logs: what handlers wrote. The one table that outgrows the rest: a block for each million jobs, dropped as a whole when the last of its jobs is past its time.
-- There is no default block, which could not be split later: blocks are made ahead, and a line whose block is missing makes it.
-- oldest program: 1

create table jobplane.logs (
  seq         bigint not null,
  tenant_id   uuid not null,
  at          timestamptz not null,
  attempt_no  int not null,
  line        int not null,                                   -- counts within the attempt; (attempt_no, line) is the order, and where a reader goes on
  level       text not null,
  message     text not null,
  fields      jsonb,
  primary key (seq, attempt_no, line)
) partition by range (seq);

do $$
declare
  v_block bigint;
begin
  for v_block in select b from generate_series(0, 2) n, lateral (select coalesce(pg_sequence_last_value('jobplane.jobs_seq_seq'), 0) / 1000000 + n as b) x loop
    execute format('create table jobplane.%I partition of jobplane.logs for values from (%s) to (%s)', 'logs_' || v_block, v_block * 1000000, (v_block + 1) * 1000000);
  end loop;
end $$;
