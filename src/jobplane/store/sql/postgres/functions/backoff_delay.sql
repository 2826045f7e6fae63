-- backoff_delay: seconds until the next attempt after p_n of the budget are spent; never above the cap, and no overflow however high p_n is
create or replace function jobplane.backoff_delay(p_job jobplane.jobs, p_n int) returns double precision language sql volatile as $$
  select least((p_job).backoff_cap::float8, (p_job).backoff_base::float8 * exp(least((p_n - 1) * ln((p_job).backoff_factor::float8), 600)))
         * (1 - (p_job).backoff_jitter::float8 * jobplane.dice())
$$;
