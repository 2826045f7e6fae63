-- changes: when a person last changed a job, and when its lease was last renewed: the job's updated_at
-- oldest program: 1

alter table jobplane.jobs
  add column changed_at timestamptz;                          -- by a retry, an edit, another time or another payload; null: never

-- On 15 and 16 this table belongs to jobplane_hot.
do $$
declare
  v_me    constant name := current_user;
  v_owner constant name := (select pg_get_userbyid(relowner) from pg_class where oid = 'jobplane.leases'::regclass);
begin
  if v_owner <> v_me then execute format('set local role %I', v_owner); end if;
  alter table jobplane.leases
    add column renewed_at timestamptz;                        -- written with the new expiry; null: not since the claim
  if v_owner <> v_me then execute format('set local role %I', v_me); end if;
end $$;
