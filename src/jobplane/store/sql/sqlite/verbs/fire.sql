-- fire: act on planned times of schedules: the job, the record and the next planned time in one transaction, each planned time at most once
-- in:  for each schedule, once in a call: its tenant and id, the version and the next_run_at that the caller has read, and an action: fire (make the job of a planned
--      time) | release (the same for the one that waits) | miss (pass over planned times) | refuse (record why there is no job) | move (only set the next time)
--      | disable; the planned time, the payload of the job, a reason, how many earlier times are passed over; the next planned time and when it is due;
--      why the schedule is over (null: it is not). Then the version of the time zones, and who asks
-- out: trigger_id, outcome: fired | skipped (by the overlap rule) | waiting | missed | refused | moved | stale (somebody was first, or changed it) | busy (ask again),
--      the job, and the reason

-- statement: update
update jobplane_triggers
   set next_run_at = ?, due_at = ?, waiting_at = ?, is_enabled = ?, disabled_reason = ?, zone_version = ?, last_run_at = ?, last_fired_at = ?, last_job_id = ?,
       last_outcome = ?, last_reason = ?, version = ?, updated_at = ?
 where trigger_id = ?
