-- read_logs: what one job of the tenant that is set has written, in order, over all its attempts
-- in:  the job; the attempt and the line after which to go on; limit 1 to 10000; follow: its worker is asked to send what is new at once, for the next 5 seconds
-- out: attempt_no, line (counts within the attempt), at, level, message, fields

-- statement: page
select attempt_no, line, at, level, message, fields from jobplane_logs where seq = ? and (attempt_no, line) > (?, ?) order by attempt_no, line limit ?

-- statement: unaware
select seq from jobplane_leases where seq = ? and coalesce(followed_until, 0) < ?

-- statement: follow
update jobplane_leases set followed_until = ? where seq = ?
