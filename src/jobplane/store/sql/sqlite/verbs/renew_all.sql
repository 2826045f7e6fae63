-- renew_all: renew for a worker that holds many leases; it says which have begun, and hears only of those that need something
-- in:  seqs, attempt_nos, tokens; lease seconds; begun (a lease stays begun: from then on a lost one pays), progress (0 to 1) and its message, null: as it was
-- out: seq, answer: cancel | followed (somebody reads its log now) | gone

-- statement: leases
select seq, attempt_no, token, cancel_requested_at is not null, followed_until > ? from jobplane_leases where seq in (select value from json_each(?))

-- statement: renew
update jobplane_leases set expires_at = ?, renewed_at = ? where seq in (select value from json_each(?))

-- statement: begin
update jobplane_leases set begun = 1 where begun = 0 and seq in (select value from json_each(?))

-- statement: progress
update jobplane_leases set progress = coalesce(x.progress, jobplane_leases.progress), progress_message = coalesce(x.message, progress_message)
  from (select value ->> 0 as seq, value ->> 1 as progress, value ->> 2 as message from json_each(?)) x where jobplane_leases.seq = x.seq
