-- commands: definitions that run a program, what workers' policies say of them, and the output of each attempt
-- oldest program: 1

-- No program has made a command before: a definition of that kind could run nowhere.
update jobplane.definitions set kind = null where kind = 'command';
update jobplane.definitions set command = null where command is not null;
-- squawk-ignore constraint-missing-not-valid
alter table jobplane.definitions add constraint definitions_command check ((kind is not distinct from 'command') = (command is not null));

-- On 15 and 16 this table belongs to jobplane_hot.
do $$
declare
  v_me    constant name := current_user;
  v_owner constant name := (select pg_get_userbyid(relowner) from pg_class where oid = 'jobplane.workers'::regclass);
begin
  if v_owner <> v_me then execute format('set local role %I', v_owner); end if;
  alter table jobplane.workers
    add column mismatched  text[] not null default '{}',      -- commands of its policy whose definitions differ from the policy
    add column outdated    boolean not null default false;    -- a command that it knew, or had in its policy, has changed: it must register again
  if v_owner <> v_me then execute format('set local role %I', v_me); end if;
end $$;

-- The resource use and the ends of stdout and stderr of a command. A row goes with its job.
create table jobplane.outputs (
  seq            bigint not null,
  tenant_id      uuid not null,
  attempt_no     int not null,
  pid            int,
  signal         int,
  user_ms        bigint,
  system_ms      bigint,
  max_rss_bytes  bigint,
  stdout_bytes   bigint not null,
  stderr_bytes   bigint not null,
  bytes_dropped  bigint not null,                             -- of both streams: what the log did not take
  stdout_tail    text not null check (length(stdout_tail) <= 65536),
  stderr_tail    text not null check (length(stderr_tail) <= 65536),
  primary key (seq, attempt_no)
);
