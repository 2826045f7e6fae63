-- commands: definitions that run a program, what workers' policies say of them, and the output of each attempt.

-- No program has made a command before: a definition of that kind could run nowhere.
update jobplane_definitions set kind = null where kind = 'command';
update jobplane_definitions set command = null where command is not null;

alter table jobplane_workers add column mismatched text not null default '[]';           -- commands of its policy whose definitions differ from the policy
alter table jobplane_workers add column outdated integer not null default 0 check (outdated in (0, 1));      -- a command that it knew, or had in its policy, has changed: it must register again

-- The resource use and the ends of stdout and stderr of a command. A row goes with its job.
create table jobplane_outputs (
  seq            integer not null,
  attempt_no     integer not null,
  pid            integer,
  signal         integer,
  user_ms        integer,
  system_ms      integer,
  max_rss_bytes  integer,
  stdout_bytes   integer not null,
  stderr_bytes   integer not null,
  bytes_dropped  integer not null,                            -- of both streams: what the log did not take
  stdout_tail    text not null check (length(stdout_tail) <= 65536),
  stderr_tail    text not null check (length(stderr_tail) <= 65536),
  primary key (seq, attempt_no)
) strict;
