-- promote: what came due goes from upcoming to ready; several may call it at once
-- in:  how many at most
-- out: how many became ready

-- statement: due
select seq, tenant_no, queue_id, priority from jobplane_upcoming where scheduled_for <= ? order by scheduled_for, seq limit ?
