-- expire: cancel the jobs whose time to start has passed before they started
-- in:  how many at most
-- out: how many were canceled

-- statement: due
select expires_at, seq from jobplane_expiring where expires_at <= ? order by expires_at limit ?

-- statement: late
select seq from jobplane_waiting where attempt_no = 0 and expires_at <= ? and seq in (select value from json_each(?))

-- statement: leave
delete from jobplane_expiring where (expires_at, seq) in (select value ->> 0, value ->> 1 from json_each(?))
