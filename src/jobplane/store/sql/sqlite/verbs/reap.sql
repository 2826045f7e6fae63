-- reap: settle for workers that are gone, as lost
-- in:  how many at most
-- out: how many leases were ended

-- statement: expired
select seq, attempt_no, token from jobplane_leases where expires_at < ? limit ?
