-- reap: settle for workers that are gone, as lost; as released, which is refunded, where the handler was not known to have begun
-- in:  how many at most
-- out: how many leases were ended

-- statement: expired
select seq, attempt_no, token, begun from jobplane_leases where expires_at < ? limit ?
