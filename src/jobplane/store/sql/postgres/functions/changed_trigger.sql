-- changed_trigger: a trigger with what a document names changed; null takes a value away. Unknown names are refused
create or replace function jobplane.changed_trigger(p_old jobplane.triggers, p_doc jsonb) returns jobplane.triggers language plpgsql volatile as $$
declare
  v_new jobplane.triggers;
begin
  perform jobplane.refuse_unknown(p_doc, '{id,key,label,trigger_type,event_name,cron_expr,interval_seconds,once,timezone,starts_at,ends_at,definition_key,payload_template,
    dedupe_window_seconds,missed,missed_limit,overlap,spread_seconds,pause_after_failures,max_attempts,priority,queue,backoff,is_enabled,disabled_reason,next_run_at,due_at,
    zone_version}');
  v_new := jsonb_populate_record(p_old, p_doc - '{id,definition_key,queue}'::text[]);
  if p_doc ? 'definition_key' then
    select d.definition_id into v_new.definition_id from jobplane.definitions d where d.key = p_doc ->> 'definition_key' and d.deleted_at is null;
    if not found then
      raise exception 'There is no definition "%". Check the spelling, or create it first.', left(p_doc ->> 'definition_key', 200) using errcode = 'JP004';
    end if;
  end if;
  if p_doc ? 'queue' then
    select q.queue_id into v_new.queue_id from jobplane.queues q where q.name = p_doc ->> 'queue';
    if not found and p_doc ->> 'queue' is not null then
      raise exception 'There is no queue "%". Check the spelling, or create it first.', left(p_doc ->> 'queue', 200) using errcode = 'JP006';
    end if;
  end if;
  if not v_new.is_enabled then
    v_new.next_run_at := null;
    v_new.due_at := null;
    v_new.waiting_at := null;
  end if;
  return v_new;
end $$;
