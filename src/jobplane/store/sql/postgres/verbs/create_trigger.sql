-- create_trigger: a rule of the tenant that is set, given as a JSON object
-- in:  document: id (null: a new one), label, definition_key, trigger_type (schedule), cron_expr or interval_seconds or once; key, timezone (null: the tenant's), starts_at, ends_at,
--      payload_template, missed (latest | skip | all), missed_limit, overlap (allow | skip | queue_one | cancel_previous), spread_seconds, pause_after_failures,
--      max_attempts, priority, queue, backoff {base, factor, cap, jitter}, is_enabled, disabled_reason; next_run_at, due_at and zone_version as the caller has computed them
-- out: the trigger
-- owner: doors
-- for: app, scheduler, admin
create or replace function jobplane.create_trigger(p_document jsonb) returns setof jobplane.trigger
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_tenant constant uuid := jobplane.current_tenant();      -- here its own errors pass: below a malformed text is one of the document
  v_new    jobplane.triggers;
begin
  v_new.tenant_id := v_tenant;
  v_new.trigger_id := coalesce((p_document ->> 'id')::uuid, jobplane.new_id());
  v_new.enabled_at := v_now;
  v_new.version := 1;
  v_new.created_by := jobplane.current_actor();
  v_new.created_at := v_now;
  v_new.updated_at := v_now;
  v_new := jobplane.changed_trigger(v_new, '{"trigger_type": "schedule", "once": false, "payload_template": {}, "dedupe_window_seconds": 300, "missed": "latest",
    "missed_limit": 10, "overlap": "allow", "spread_seconds": 0, "is_enabled": true, "zone_version": ""}'::jsonb || p_document);
  if not exists (select from jobplane.tenants t where t.tenant_id = v_new.tenant_id) then
    raise exception 'There is no such tenant.' using errcode = 'JP011';
  end if;
  insert into jobplane.triggers select v_new.*;
  perform jobplane.audit('createTrigger', v_new.tenant_id, array[v_new.trigger_id::text], null, to_jsonb(v_new), jsonb_build_object('label', v_new.label));
  if v_new.is_enabled then perform pg_notify('jobplane_wake', 'schedules'); end if;
  return query select * from jobplane.show_triggers(array[v_new.tenant_id], array[v_new.trigger_id]);
exception
  when unique_violation then
    raise exception 'There is a trigger with the key "%" already. Change it, or use another key.', p_document ->> 'key' using errcode = 'JP016';
  when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range or datetime_field_overflow or invalid_datetime_format then
    raise exception 'The trigger has an invalid value. The detail says which.' using errcode = 'JP002', detail = sqlerrm;
end $$;
