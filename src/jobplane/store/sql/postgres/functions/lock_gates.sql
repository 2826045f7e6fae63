-- lock_gates: before a gate changes, wait for the claims that are under way, and keep new ones waiting until commit: from then on no claim has read the old value
-- for: engine
create or replace function jobplane.lock_gates() returns void language plpgsql volatile as $$
begin
  lock table jobplane_locks.gates in exclusive mode;
end $$;
