-- deregister_worker: a worker is gone for good; its leases, if it left any, are the reaper's
-- out: whether it was registered

-- statement: delete
delete from jobplane_workers where worker_id = ? returning 1
