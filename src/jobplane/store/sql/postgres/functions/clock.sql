-- clock: the only clock of every due, lease and backoff decision. Tests replace this function; no verb takes the time as an argument.
create or replace function jobplane.clock() returns timestamptz language sql volatile as $$ select clock_timestamp() $$;
