-- get_result: what a job of the tenant that is set returned, with its status; null while there is none

-- statement: result
select j.seq, x.result from jobplane_jobs j left join jobplane_results x on x.seq = j.seq where j.tenant_no = ? and j.id = ?
