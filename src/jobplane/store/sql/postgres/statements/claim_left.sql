-- claim_left: whether a lane has any row left
-- params: v_queue int, v_priority smallint, v_low bigint
select from jobplane.ready where queue_id = v_queue and priority = v_priority and seq > 0 and tag >= v_low limit 1
