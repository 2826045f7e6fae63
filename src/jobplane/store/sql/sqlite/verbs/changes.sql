-- changes: marks that differ when something has changed: of some tenants, and of the installation. A caller that compares them once a second needs no session of its own, and writers pay nothing
-- A tenant's jobs: the newest 50 in each table, all that run with their progress, and the newest row of the audit log, so that what people do to an old job shows, too. A short job that is older
-- than 50 others of its status and ran without a person's doing may not show. A tenant's problems: its own rows and, of the 100 newest jobs that wait, whether their queues are paused and served.
-- in:  ids of tenants, of which the first 1,000 are looked at; all: the installation as well
-- out: a row for each tenant, without marks of queues and workers; one without a tenant for the installation. The marks of problems change with the minute while something waits

-- statement: jobs
select (select max(seq) || '.' || sum(seq) from (select seq from jobplane_ready where tenant_no = ? order by seq desc limit 50)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_held where tenant_no = ? order by seq desc limit 50)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_upcoming where tenant_no = ? order by seq desc limit 50)),
       (select json_array(count(*), sum(seq * 7 + attempt_no), count(cancel_requested_at), total(progress), sum(length(progress_message)), max(progress_message))
          from (select seq, attempt_no, cancel_requested_at, progress, progress_message from jobplane_leases where tenant_no = ? limit 2000)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_endings where tenant_no = ? and status = 'succeeded' order by seq desc limit 50)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_endings where tenant_no = ? and status = 'failed' order by seq desc limit 50)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_endings where tenant_no = ? and status = 'canceled' order by seq desc limit 50)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_endings where tenant_no = ? and status = 'dead_letter' order by seq desc limit 50)),
       (select max(audit_id) from jobplane_audit_log where tenant_no = ?),
       (select paused_at from jobplane_tenants where tenant_no = ?)

-- statement: waiting
-- The queues of the newest jobs that wait.
select queue_id, paused_at, name from jobplane_queues
 where queue_id in (select queue_id from (select queue_id from jobplane_ready where tenant_no = ? order by seq desc limit 50)
                    union select queue_id from (select queue_id from jobplane_held where tenant_no = ? order by seq desc limit 50))
 order by queue_id

-- statement: installation
-- The newest of all tenants, without a look at each: there may be thousands. An attempt that has ended stands for its job's ending.
select (select max(seq) from jobplane_jobs),
       (select max(audit_id) from jobplane_audit_log),
       (select sum(seq * 7 + attempt_no) from (select seq, attempt_no from jobplane_attempts where seq > 0 order by seq desc, attempt_no desc limit 200)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_ready where seq > 0 order by seq desc limit 200)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_held where seq > 0 order by seq desc limit 200)),
       (select max(seq) || '.' || sum(seq) from (select seq from jobplane_upcoming where seq > 0 order by seq desc limit 200)),
       (select json_array(count(*), sum(seq * 7 + attempt_no), count(cancel_requested_at), total(progress), sum(length(progress_message)), max(progress_message))
          from (select seq, attempt_no, cancel_requested_at, progress, progress_message from jobplane_leases where seq > 0 order by seq desc limit 5000))

-- statement: queues
select count(*), count(paused_at), max(paused_at) from jobplane_queues

-- statement: workers
select worker_id, started_at, draining, running_count, queues, last_seen_at > ? from jobplane_workers order by worker_id
