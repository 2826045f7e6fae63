-- locks: what functions wait for each other at. No advisory locks: any login of the database could hold those.
-- oldest program: 1

-- A schema of its own, because a look into `jobplane` is enough for anyone to hold a lock on a table there until commit: PREPARE locks like the statement
-- it prepares, before privileges are checked.
do $$
begin
  if not exists (select from pg_namespace where nspname = 'jobplane_locks' and nspowner = current_user::regrole) then
    create schema jobplane_locks;
  end if;
end $$;

-- Always empty. A claim locks it together with the other claims, and whoever changes a gate locks it alone.
create table jobplane_locks.gates ();

-- One row for each row of clocks. It is locked by whoever moves that clock, and never changed.
create table jobplane.lanes (
  queue_id  int,
  priority  smallint,
  primary key (queue_id, priority)
);
-- On 15 and 16 clocks belongs to jobplane_hot.
do $$
declare
  v_me         constant name := current_user;
  v_owner      constant name := (select pg_get_userbyid(relowner) from pg_class where oid = 'jobplane.clocks'::regclass);
  v_queues     int[];
  v_priorities smallint[];
begin
  if v_owner <> v_me then execute format('set local role %I', v_owner); end if;
  select array_agg(queue_id), array_agg(priority) into v_queues, v_priorities from jobplane.clocks;
  if v_owner <> v_me then execute format('set local role %I', v_me); end if;
  insert into jobplane.lanes (queue_id, priority) select * from unnest(v_queues, v_priorities);
end $$;

-- The ids that callers chose, while their enqueue is under way: a row never outlives its transaction, and a second one with the same id waits for it.
create table jobplane.new_ids (
  tenant_id  uuid,
  id         uuid,
  primary key (tenant_id, id)
);
