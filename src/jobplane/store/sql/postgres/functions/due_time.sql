-- due_time: when a job may be claimed, by an instant or by a delay from now; null where neither is a time between the years 2000 and 9999
create or replace function jobplane.due_time(p_scheduled_for timestamptz, p_delay_seconds double precision, p_now timestamptz) returns timestamptz language sql stable as $$
  select case when p_scheduled_for is not null then case when p_scheduled_for >= '2000-01-01Z' and p_scheduled_for < '9999-01-01Z' then p_scheduled_for end
              when p_delay_seconds is not null then case when p_delay_seconds >= 0 and p_delay_seconds <= 3153600000 then p_now + make_interval(secs => p_delay_seconds) end
              else p_now end
$$;
