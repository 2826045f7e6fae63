-- insert_ready: the rows of n into ready, each with its new tag
insert into jobplane_ready (seq, tag, tenant_no, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone)
select seq, new_tag, tenant_no, scheduled_for, expires_at, queue_id, definition_id, attempt_no, priority, attempts_left, interruptions, deduped, alone from n
