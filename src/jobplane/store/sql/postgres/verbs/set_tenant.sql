-- set_tenant: change slug, name, timezone, weight, max_in_flight or max_pending; null takes a limit away. From its commit on no claim exceeds the limit.
-- The slugs default and system cannot change.
-- owner: engine
-- for: admin
create or replace function jobplane.set_tenant(p_tenant_id uuid, p_changes jsonb) returns jobplane.tenants
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan as $$
declare
  v_old    jobplane.tenants;
  v_tenant jobplane.tenants;
begin
  perform jobplane.refuse_unknown(p_changes, '{slug,name,timezone,weight,max_in_flight,max_pending}');
  if p_changes ? 'max_in_flight' then perform jobplane.lock_gates(); end if;
  select * into v_old from jobplane.tenants t where t.tenant_id = p_tenant_id for no key update;
  if not found then
    raise exception 'There is no such tenant.' using errcode = 'JP011';
  elsif v_old.slug in ('default', 'system') and p_changes ->> 'slug' <> v_old.slug then
    raise exception 'The slug of the tenant "%" cannot change: jobplane needs it. Create another tenant.', v_old.slug using errcode = 'JP002';
  end if;
  update jobplane.tenants t
     set slug = coalesce(p_changes ->> 'slug', t.slug),
         timezone = coalesce(p_changes ->> 'timezone', t.timezone),
         name = coalesce(p_changes ->> 'name', t.name),
         weight = coalesce((p_changes ->> 'weight')::int, t.weight),
         max_in_flight = case when p_changes ? 'max_in_flight' then (p_changes ->> 'max_in_flight')::int else t.max_in_flight end,
         max_pending = case when p_changes ? 'max_pending' then (p_changes ->> 'max_pending')::int else t.max_pending end,
         updated_at = jobplane.clock()
   where t.tenant_id = p_tenant_id returning * into v_tenant;
  if p_changes ->> 'max_in_flight' is not null then
    perform jobplane.count_leases(array_agg('t/' || p_tenant_id), array_agg(l.seq)) from jobplane.leases l where l.tenant_id = p_tenant_id and l.attempt_no > 0;      -- names the partial index
  end if;
  if v_tenant.timezone <> v_old.timezone then                                            -- schedules without a zone of their own get another next time
    update jobplane.triggers t set zone_version = '', due_at = jobplane.clock() where t.tenant_id = p_tenant_id and t.is_enabled and t.trigger_type = 'schedule' and t.timezone is null;
  end if;
  if to_jsonb(v_tenant) - 'updated_at' <> to_jsonb(v_old) - 'updated_at' then
    perform jobplane.audit('changeTenant', p_tenant_id, array[p_tenant_id::text], to_jsonb(v_old), to_jsonb(v_tenant), jsonb_build_object('changes', p_changes));
  end if;
  return v_tenant;
exception
  when unique_violation then
    raise exception 'There is a tenant with this slug already. Choose another.' using errcode = 'JP016';
  when check_violation or invalid_text_representation or numeric_value_out_of_range then
    raise exception 'A tenant needs a slug of a-z, 0-9 and -, up to 63 characters, a weight of 1 to 1000, limits that are not negative, and a timezone of 1 to 64 characters.'
      using errcode = 'JP002', detail = sqlerrm;
end $$;
