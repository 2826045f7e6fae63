-- renew: prolong leases, with progress where it is given; tells the worker which jobs are to be canceled
-- in:  seqs, attempt_nos, tokens; lease seconds; progress (0 to 1) and its message, null: as it was
-- out: seq, answer: renewed | cancel | busy (somebody's transaction has it locked: ask again) | gone, and when the lease ends

-- statement: leases
select seq, attempt_no, token, cancel_requested_at is not null from jobplane_leases where seq in (select value from json_each(?))

-- statement: renew
update jobplane_leases set expires_at = ? where seq in (select value from json_each(?))

-- statement: progress
update jobplane_leases set progress = coalesce(x.progress, jobplane_leases.progress), progress_message = coalesce(x.message, progress_message)
  from (select value ->> 0 as seq, value ->> 1 as progress, value ->> 2 as message from json_each(?)) x where jobplane_leases.seq = x.seq
