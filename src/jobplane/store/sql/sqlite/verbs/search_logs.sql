-- search_logs: lines of the tenant that is set whose message has all words of a text; a word stands for all that begin with it, in upper or lower case
-- in:  the text; definitions, null: any; since when; limit 1 to 1000; the lowest level (debug | info | warning | error), null: any; one job, null: any; before when
-- out: the line with its job, those of the newest jobs first; and whether the search ended before it had seen all

-- statement: newest
select coalesce(max(id), 0) from jobplane_logs

-- statement: indexed
select coalesce(max(id), 0) from jobplane_log_words_docsize

-- statement: hits
select rowid from jobplane_log_words where jobplane_log_words match ? and rowid <= ? order by rowid desc limit ?

-- statement: span
select l.id, l.message from jobplane_logs l cross join jobplane_jobs j on j.seq = l.seq
 where l.id > ? and l.id <= ? and l.at >= ? and l.at < ? and (? is null or l.level in (select value from json_each(?)))
   and j.tenant_no = ? and (? is null or j.definition_key in (select value from json_each(?))) order by l.id desc

-- statement: those
select l.id, l.message from json_each(?) x cross join jobplane_logs l on l.id = x.value cross join jobplane_jobs j on j.seq = l.seq
 where l.at >= ? and l.at < ? and (? is null or l.level in (select value from json_each(?)))
   and j.tenant_no = ? and (? is null or j.definition_key in (select value from json_each(?))) order by l.id desc

-- statement: job
select seq from jobplane_jobs where tenant_no = ? and id = ? and (? is null or definition_key in (select value from json_each(?)))

-- statement: of_job
select l.id, l.message, l.attempt_no, l.line, l.at >= ? and l.at < ? and (? is null or l.level in (select value from json_each(?)))
  from jobplane_logs l where l.seq = ? and (l.attempt_no, l.line) > (?, ?) order by l.attempt_no, l.line limit ?

-- statement: lines
select j.id, j.definition_key, l.attempt_no, l.line, l.at, l.level, l.message, l.fields
  from json_each(?) x cross join jobplane_logs l on l.id = x.value cross join jobplane_jobs j on j.seq = l.seq order by l.seq desc, l.attempt_no, l.line
