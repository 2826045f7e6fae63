-- write_definition: keep a definition as it is now, raise its revision, and let its gates count anew. The workers that know a command whose line or schema has
-- changed, or that wait for it, forget it. The caller holds the claims off.
-- for: engine
create or replace function jobplane.write_definition(p_new jobplane.definitions, p_created boolean) returns void language plpgsql volatile as $$
declare
  v_gate constant text := 'd/' || p_new.definition_id;
  v_old  jobplane.definitions;
begin
  select * into v_old from jobplane.definitions d where d.definition_id = p_new.definition_id;
  update jobplane.definitions d
     set kind = p_new.kind, description = p_new.description, arg_schema = p_new.arg_schema, queue_id = p_new.queue_id, priority = p_new.priority,
         timeout_seconds = p_new.timeout_seconds, max_attempts = p_new.max_attempts, backoff_base = p_new.backoff_base, backoff_factor = p_new.backoff_factor,
         backoff_cap = p_new.backoff_cap, backoff_jitter = p_new.backoff_jitter, max_running = p_new.max_running,
         max_running_per_tenant = p_new.max_running_per_tenant, retention_days = p_new.retention_days, retention_days_logs = p_new.retention_days_logs,
         retention_count = p_new.retention_count, active = p_new.active, origin = p_new.origin, tags = p_new.tags, isolation = p_new.isolation,
         on_lost_contact = p_new.on_lost_contact, system = p_new.system, metadata = p_new.metadata, default_payload = p_new.default_payload,
         command = p_new.command,
         app = p_new.app, app_version = p_new.app_version, app_version_order = p_new.app_version_order, overridden = p_new.overridden, code = p_new.code,
         definition_hash = p_new.definition_hash, deleted_from_code = p_new.deleted_from_code, deleted_at = p_new.deleted_at,
         revision = case when p_created then 1 else d.revision + 1 end, updated_at = jobplane.clock()
   where d.definition_id = p_new.definition_id;
  if 'command' in (v_old.kind, p_new.kind)
     and (v_old.kind, v_old.command, v_old.arg_schema, v_old.deleted_at) is distinct from (p_new.kind, p_new.command, p_new.arg_schema, p_new.deleted_at) then
    perform jobplane.forget_command(p_new.key, p_new.definition_id);
  end if;
  perform jobplane.open_lane(p_new.queue_id, p_new.priority);
  if p_created then
    update jobplane.workers w set definition_ids = w.definition_ids || p_new.definition_id where w.worker_id > '' and p_new.key = any (w.definitions);      -- by the primary key: all of them
  else
    perform jobplane.count_leases(array_agg(k.key), array_agg(l.seq)) from jobplane.leases l,
      unnest(array_remove(array[case when p_new.max_running is not null then v_gate end,
                                case when p_new.max_running_per_tenant is not null then 'dt/' || l.definition_id || '/' || l.tenant_id end], null)) k(key)
      where l.seq > 0 and l.definition_id = p_new.definition_id;      -- by the primary key: all of them
    perform jobplane.release_held(array[v_gate], array[jobplane.gate_room(v_gate, 1000)], true);
  end if;
end $$;
