-- due_triggers: the schedules that have something to do, and when the next one has. What is late by more than a minute comes apart from the rest, so that a
-- long list of it keeps nothing else from firing in time
-- in:  how many that are due since a minute or less, the longest due first; how many that are late, the same
-- out: the time; seconds until the next schedule is due after these (null: none is); each schedule with its tenant, the schema of its definition with the revision,
--      how many of its last fires have failed (null: nothing asks for it), and whether its tenant has a limit on waiting jobs, for which an enqueue may
--      have to wait; the command of its definition. One row without a schedule where none is due

-- statement: due
select trigger_id from jobplane_triggers where is_enabled and due_at is not null and due_at <= ? and due_at > ? order by due_at limit ?

-- statement: next
select due_at from jobplane_triggers where is_enabled and due_at is not null and due_at > ? order by due_at limit 1

-- statement: failures
select count(*) from (select f.job_id, f.tenant_no from jobplane_fires f
                       where f.trigger_id = ? and f.outcome = 'fired' and f.kind = 'schedule' and f.fired_at > ? order by f.planned_at desc limit ?) f
 where exists (select 1 from jobplane_jobs j cross join jobplane_endings e on e.tenant_no = j.tenant_no and e.status in ('failed', 'dead_letter') and e.seq = j.seq
                where j.tenant_no = f.tenant_no and j.id = f.job_id)
