-- cancel: at once if the job waits, a request if it runs; a job that is over stays as it is
-- in:  job ids of the tenant that is set, a reason
-- out: job_id, outcome: canceled | requested | ended | not_found, and the job's status now. Tries each state's table in turn, and starts again if the job moved while
--      we looked. A slot that it frees is given to the next by the sweep: a tenant's transaction touches no limit.

-- statement: ask
update jobplane_leases set cancel_reason = ?, cancel_requested_at = ?
 where seq in (select value from json_each(?)) and cancel_requested_at is null returning seq
