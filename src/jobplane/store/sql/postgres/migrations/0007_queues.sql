-- queues: what each is for, and the names of those that were deleted
-- oldest program: 1

-- On 15 and 16 the table belongs to jobplane_hot.
do $$
declare
  v_me    constant name := current_user;
  v_owner constant name := (select pg_get_userbyid(relowner) from pg_class where oid = 'jobplane.queues'::regclass);
begin
  if v_owner <> v_me then execute format('set local role %I', v_owner); end if;
  alter table jobplane.queues
    add column description  text not null default '' check (length(description) <= 1000);
  if v_owner <> v_me then execute format('set local role %I', v_me); end if;
end $$;

-- Ended jobs still show the name of their queue, and put_queues brings the queue back under the same id.
create table jobplane.deleted_queues (
  queue_id  int primary key,
  name      text not null unique
);
