-- take_waiting: take a waiting job out of its state's table, whichever it is; waits for a claim that has it. Nothing comes back if it does not wait.
create or replace function jobplane.take_waiting(p_tenant uuid, p_seq bigint) returns setof jobplane.upcoming language plpgsql volatile as $$
begin
  return query delete from jobplane.ready w where w.tenant_id = p_tenant and w.seq = p_seq
    returning w.seq, w.tenant_id, w.scheduled_for, w.expires_at, w.queue_id, w.definition_id, w.attempt_no, w.priority, w.attempts_left, w.interruptions, w.deduped, w.alone;
  if found then return; end if;
  return query delete from jobplane.held w where w.tenant_id = p_tenant and w.seq = p_seq
    returning w.seq, w.tenant_id, w.scheduled_for, w.expires_at, w.queue_id, w.definition_id, w.attempt_no, w.priority, w.attempts_left, w.interruptions, w.deduped, w.alone;
  if found then return; end if;
  return query delete from jobplane.upcoming w where w.tenant_id = p_tenant and w.seq = p_seq returning w.*;
end $$;
