-- prune_lines: one step of a walk over the jobs that have log lines, from the oldest to the newest: remove the lines of ended jobs that are past their time, and lines whose job
-- is gone. The lines of an active job stay
-- in:  the seq to go on after; how many jobs to look at, 1000 at most; how many days after its end a job's lines are kept, where its definition does not say so itself
--      (retention_days_logs); dry_run: nothing goes
-- out: a row for each definition: of how many jobs lines went, and how many lines; gone jobs have no definition. A last row without jobs has the seq to go on after, null when
--      the walk is over, and how many jobs were looked at. 5 lines for each job that is looked at go in a step at most. The walk is over at jobs that are too young

-- statement: least
select min(retention_days_logs) from jobplane_definitions

-- statement: stretch
with recursive found (seq) as (
  select min(seq) from jobplane_logs where seq > ?
  union all
  select (select min(l.seq) from jobplane_logs l where l.seq > f.seq) from found f where f.seq is not null limit ?)
select f.seq, j.seq, j.definition_key, j.created_at, d.retention_days_logs, e.finished_at
  from found f
  left join jobplane_jobs j on j.seq = f.seq
  left join jobplane_definitions d on d.key = j.definition_key
  left join jobplane_endings e on e.tenant_no = j.tenant_no and e.status in ('succeeded', 'failed', 'dead_letter', 'canceled') and e.seq = j.seq
 where f.seq is not null order by f.seq

-- statement: lines
select l.id, l.seq from json_each(?) x cross join jobplane_logs l on l.seq = x.value limit ?

-- statement: count
select l.seq, count(*) from json_each(?) x cross join jobplane_logs l on l.seq = x.value group by l.seq

-- statement: forget
insert into jobplane_log_words (jobplane_log_words, rowid, message)
select 'delete', l.id, l.message from json_each(?) x cross join jobplane_logs l on l.id = x.value where l.id <= ?

-- statement: remove
delete from jobplane_logs where id in (select value from json_each(?))
