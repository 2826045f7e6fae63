-- reserve_reply: begin a request of the tenant that is set under its idempotency key, before anything is done for it
-- in:  operation, key of 1 to 255 characters, fingerprint of the request, count: how many jobs it makes, 0 to 1000
-- out: ids for its jobs, the same ones for a repeated request; is_new; status and body of the saved reply. Without a status the request is under way or was cut off: enqueue
--      with these ids, and no job is made twice. A key that was used with another fingerprint is refused

-- statement: find
select fingerprint, job_ids, status, body from jobplane_replies where tenant_no = ? and operation = ? and key = ?

-- statement: insert
insert into jobplane_replies (tenant_no, operation, key, fingerprint, job_ids, created_at) values (?, ?, ?, ?, ?, ?)
