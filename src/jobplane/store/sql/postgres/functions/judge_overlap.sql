-- judge_overlap: what a planned time of a trigger leads to, by the trigger's rule for jobs that have not ended: fired | skipped | waiting | busy (try again)
-- cancel_previous waits for no application's transaction longer than 50 ms.
create or replace function jobplane.judge_overlap(p_tenant uuid, p_trigger_id uuid, p_overlap text, p_waits boolean) returns text language plpgsql volatile as $$
declare
  v_active uuid[];
begin
  if p_overlap = 'allow' then return 'fired'; end if;
  v_active := jobplane.active_jobs(p_tenant, p_trigger_id);
  case p_overlap
  when 'skip' then
    return case when v_active = '{}' then 'fired' else 'skipped' end;
  when 'queue_one' then
    return case when p_waits then 'skipped' when v_active = '{}' then 'fired' else 'waiting' end;
  else
    if v_active <> '{}' then
      begin
        perform set_config('lock_timeout', '50ms', true), set_config('jobplane.tenant_id', p_tenant::text, true);
        perform from jobplane.cancel(v_active, 'The next run of its schedule has come.');
      exception when lock_not_available then
        return 'busy';
      end;
    end if;
    return 'fired';
  end case;
end $$;
