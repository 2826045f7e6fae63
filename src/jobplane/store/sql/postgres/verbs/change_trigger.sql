-- change_trigger: change a trigger of the tenant that is set; null takes a value away. Its version grows, so a fire that has read the one before changes nothing
-- in:  changes: as the document of create_trigger; version: refuse where the trigger has another one
-- out: the trigger
-- owner: doors
-- for: app, admin
create or replace function jobplane.change_trigger(p_trigger_id uuid, p_changes jsonb, p_version int default null) returns setof jobplane.trigger
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_old jobplane.triggers := jobplane.found_trigger(p_trigger_id, p_version);   -- here the errors of the tenant that is set pass: below a malformed text is one of the changes
  v_new jobplane.triggers;
begin
  v_new := jobplane.changed_trigger(v_old, p_changes);
  v_new.version := v_old.version + 1;
  v_new.updated_at := jobplane.clock();
  if v_new.is_enabled then
    v_new.disabled_reason := null;
    if not v_old.is_enabled then v_new.enabled_at := v_new.updated_at; end if;
    if v_new.waiting_at is not null then v_new.due_at := least(v_new.due_at, v_new.updated_at + interval '2 s'); end if;
  end if;
  update jobplane.triggers t
     set (key, label, event_name, cron_expr, interval_seconds, once, timezone, starts_at, ends_at, definition_id, payload_template, dedupe_window_seconds,
           missed, missed_limit, overlap, spread_seconds, pause_after_failures, max_attempts, priority, queue_id, backoff, is_enabled,
           disabled_reason, enabled_at, next_run_at, due_at, waiting_at, zone_version, version, updated_at)
       = (v_new.key, v_new.label, v_new.event_name, v_new.cron_expr, v_new.interval_seconds, v_new.once, v_new.timezone, v_new.starts_at, v_new.ends_at,
           v_new.definition_id, v_new.payload_template, v_new.dedupe_window_seconds, v_new.missed, v_new.missed_limit, v_new.overlap,
           v_new.spread_seconds, v_new.pause_after_failures, v_new.max_attempts, v_new.priority, v_new.queue_id, v_new.backoff, v_new.is_enabled,
           v_new.disabled_reason, v_new.enabled_at, v_new.next_run_at, v_new.due_at, v_new.waiting_at, v_new.zone_version, v_new.version,
           v_new.updated_at)
   where t.tenant_id = v_old.tenant_id and t.trigger_id = v_old.trigger_id;
  perform jobplane.audit(case when v_old.is_enabled = v_new.is_enabled then 'changeTrigger' when v_new.is_enabled then 'enableTrigger' else 'disableTrigger' end,
                         v_old.tenant_id, array[p_trigger_id::text], to_jsonb(v_old), to_jsonb(v_new),
                         jsonb_build_object('label', v_new.label, 'changed', (select jsonb_agg(c.key order by c.key) from jsonb_each(p_changes) c
                                                                               where to_jsonb(v_old) -> c.key is distinct from to_jsonb(v_new) -> c.key)));
  if v_new.is_enabled then perform pg_notify('jobplane_wake', 'schedules'); end if;
  return query select * from jobplane.show_triggers(array[v_new.tenant_id], array[v_new.trigger_id]);
exception
  when unique_violation then
    raise exception 'There is a trigger with the key "%" already. Change it, or use another key.', p_changes ->> 'key' using errcode = 'JP016';
  when check_violation or not_null_violation or invalid_text_representation or numeric_value_out_of_range or datetime_field_overflow or invalid_datetime_format then
    raise exception 'The trigger has an invalid value. The detail says which.' using errcode = 'JP002', detail = sqlerrm;
end $$;
