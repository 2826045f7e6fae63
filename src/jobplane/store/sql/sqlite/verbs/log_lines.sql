-- log_lines: keep lines that handlers wrote, each with the proof of the lease that it was written under
-- in:  seqs, attempt_nos, tokens; numbers of the lines within their attempt; when; level (debug | info | warning | error); message, cut after 16 KiB; fields, or null
-- out: the seqs whose lease is not the one named: of their lines nothing was kept
-- A line that is there already stays as it is, so the same call again changes nothing.

-- statement: leases
select seq, attempt_no, token from jobplane_leases where seq in (select value from json_each(?))

-- statement: write
insert into jobplane_logs (seq, attempt_no, line, at, level, message, fields)
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6 from json_each(?) where true
on conflict do nothing
