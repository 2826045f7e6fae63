-- prune_logs: remove lines of jobs that have ended and whose logs are past their time
-- in:  how many days after its end a job's lines are kept, where its definition does not say so itself (retention_days_logs)
-- out: how many lines went, 5000 at most: ask again while it is that many

-- statement: past
select l.id from jobplane_logs l cross join jobplane_jobs j on j.seq = l.seq left join jobplane_definitions d on d.definition_id = j.definition_id
 where exists (select 1 from jobplane_endings e where e.tenant_no = j.tenant_no and e.status in ('succeeded', 'failed', 'dead_letter', 'canceled') and e.seq = j.seq
                 and e.finished_at <= ? - coalesce(d.retention_days_logs, ?) * 86400000000)
 order by l.id limit 5000

-- statement: forget
insert into jobplane_log_words (jobplane_log_words, rowid, message)
select 'delete', l.id, l.message from json_each(?) x cross join jobplane_logs l on l.id = x.value where l.id <= ?

-- statement: remove
delete from jobplane_logs where id in (select value from json_each(?)) returning 1
