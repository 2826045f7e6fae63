-- new_id: a UUIDv7, the name of a job outside. PostgreSQL has its own from 18 on.
do $do$
begin
  if current_setting('server_version_num')::int >= 180000 then
    create or replace function jobplane.new_id() returns uuid language sql volatile as 'select uuidv7()';
  else
    create or replace function jobplane.new_id() returns uuid language sql volatile as $$
      select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
             placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
    $$;
  end if;
end $do$;
