-- workers: which leases have begun, whose log somebody reads, and how a definition's handlers are kept apart
-- oldest program: 1

-- begun: its handler has started: only that attempt pays when its lease is reaped. A lease from before, or one that does not say, has.
-- followed_until: somebody reads its log until then.
-- On 15 and 16 the table belongs to jobplane_hot.
do $$
declare
  v_me    constant name := current_user;
  v_owner constant name := (select pg_get_userbyid(relowner) from pg_class where oid = 'jobplane.leases'::regclass);
begin
  if v_owner <> v_me then execute format('set local role %I', v_owner); end if;
  alter table jobplane.leases
    add column begun           boolean not null default true,
    add column followed_until  timestamptz;
  if v_owner <> v_me then execute format('set local role %I', v_me); end if;
end $$;

alter table jobplane.definitions
  add column isolation        text not null default 'shared' check (isolation in ('shared', 'process')),
  add column on_lost_contact  text not null default 'stop' check (on_lost_contact in ('stop', 'continue'));
-- What a claim must name as alone; almost always empty.
-- squawk-ignore require-concurrent-index-creation
create index definitions_alone on jobplane.definitions (definition_id) where isolation = 'process' or on_lost_contact = 'continue';
