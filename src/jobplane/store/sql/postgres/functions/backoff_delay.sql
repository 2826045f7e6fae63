-- backoff_delay: seconds until the next attempt after p_n of the budget are spent; never above the cap, and no overflow however high p_n is.
-- A job's policy may have any numbers, NaN too, if another program wrote it: the wait is between 0 and a year.
create or replace function jobplane.backoff_delay(p_job jobplane.jobs, p_n int) returns double precision language sql volatile as $$
  select least(greatest(least((p_job).backoff_cap::float8, (p_job).backoff_base::float8 * exp(least(greatest(p_n - 1, 0) * ln(greatest((p_job).backoff_factor::float8, 1)), 600)))
         * (1 - (p_job).backoff_jitter::float8 * jobplane.dice()), 0), 31536000)
$$;
