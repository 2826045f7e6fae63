-- drop_log_block: drop one block of logs; false: somebody is reading or writing logs just now, and nobody may wait long behind us
-- for: engine
create or replace function jobplane.drop_log_block(p_block bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set lock_timeout = '100ms' as $$
begin
  execute format('drop table jobplane.%I', 'logs_' || p_block);
  return true;
exception when lock_not_available or deadlock_detected then
  return false;
end $$;
