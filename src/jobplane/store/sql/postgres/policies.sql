-- policies: row-level security, and who may touch which table. Applied again by every migration; a table with a tenant_id is the tenants', the others are global.
-- Forced, so that the owner is under it too, and closed where no tenant is set: there is no arm for a missing setting. The setting is read by a subselect,
-- once for a statement and not once for a row.
do $$
declare
  v_hot    constant text[] := '{ready,held,upcoming,leases,limits,clocks,dedupe,new_ids,expiring,pending,queues,workers}';
  v_grants constant jsonb := '{
    "tenants":     {"doors": "select", "app": "select"},
    "definitions": {"doors": "select", "app": "select"},
    "queues":      {"doors": "select", "app": "select"},
    "deleted_queues": {"doors": "select", "app": "select"},
    "clocks":      {"doors": "select"},
    "jobs":        {"doors": "select, insert, update", "app": "select"},
    "ready":       {"doors": "select, insert, delete", "app": "select"},
    "held":        {"doors": "select, delete", "app": "select"},
    "upcoming":    {"doors": "select, insert, delete", "app": "select"},
    "leases":      {"doors": "select, update (cancel_requested_at, cancel_reason, followed_until)",
                    "app": "select (seq, tenant_id, scheduled_for, started_at, expires_at, cancel_requested_at, queue_id, definition_id, attempt_no, progress, priority, attempts_left, interruptions, deduped, alone, worker_id, cancel_reason, progress_message, begun)"},
    "endings":     {"doors": "select, insert, delete, update (finished_at)", "app": "select"},
    "attempts":    {"doors": "select",
                    "app": "select (seq, tenant_id, scheduled_for, started_at, finished_at, attempt_no, outcome, led_to, exit_code, progress, worker_id, reason, error, progress_message)"},
    "results":     {"doors": "select", "app": "select"},
    "outputs":     {"doors": "select", "app": "select"},
    "logs":        {"doors": "select", "app": "select"},
    "dedupe":      {"doors": "select, insert, delete"},
    "new_ids":     {"doors": "select, insert, delete"},
    "receipts":    {"doors": "select, insert, delete, update (seq)"},
    "pending":     {"doors": "select, insert, update (turns)"},
    "expiring":    {"doors": "select, insert, delete"},
    "triggers":    {"doors": "select, insert, update, delete", "app": "select"},
    "fires":       {"doors": "select, insert, update, delete", "app": "select"},
    "replies":     {"doors": "select, insert, update (status, body)"}}';
  v_appended constant text[] := '{audit_log,audit_chain}';                                   -- append-only for everybody, their owner included
  v_maintain constant boolean := current_setting('server_version_num')::int >= 170000;
  v_table  record;
  v_role   text;
begin
  grant usage on schema jobplane to public;
  grant select on jobplane.migrations, jobplane.installation to public;
  grant usage on sequence jobplane.jobs_seq_seq to jobplane_doors, jobplane_engine;
  grant usage on sequence jobplane.turns to jobplane_engine;
  grant select on sequence jobplane.audit_log_audit_id_seq to jobplane_engine;
  grant usage on schema jobplane_locks to jobplane_engine;
  grant update on jobplane_locks.gates to jobplane_engine;
  for v_table in
    select c.relname as name, pg_get_userbyid(c.relowner) as owner,
           exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped) as has_tenant
      from pg_class c where c.relnamespace = 'jobplane'::regnamespace and c.relkind in ('r', 'p') and c.relname not in ('migrations', 'installation')
     order by c.relname
  loop
    if not v_maintain and v_table.name = any (v_hot) and v_table.owner <> 'jobplane_hot' then
      execute format('alter table jobplane.%I owner to jobplane_hot', v_table.name);       -- an owner may vacuum; from 17 on it is a privilege
      v_table.owner := 'jobplane_hot';
    end if;
    execute format('set local role %I', v_table.owner);
    execute format('revoke all on jobplane.%I from public, jobplane_app, jobplane_worker, jobplane_scheduler, jobplane_admin, jobplane_maintenance, jobplane_doors', v_table.name);
    execute format('grant select, insert, update, delete on jobplane.%I to jobplane_engine', v_table.name);
    if v_table.name = any (v_appended) then
      execute format('revoke update, delete, truncate on jobplane.%I from jobplane_engine, jobplane_owner', v_table.name);
    end if;
    for v_role in select jsonb_object_keys(v_grants -> v_table.name) loop
      execute format('grant %s on jobplane.%I to jobplane_%s', v_grants -> v_table.name ->> v_role, v_table.name, v_role);
    end loop;
    if v_maintain and v_table.name = any (v_hot) then
      execute format('grant maintain on jobplane.%I to jobplane_maintenance', v_table.name);
    end if;
    if v_table.has_tenant then
      execute format('alter table jobplane.%I enable row level security', v_table.name);
      execute format('alter table jobplane.%I force row level security', v_table.name);
      execute format('drop policy if exists tenant on jobplane.%I', v_table.name);
      execute format('drop policy if exists doors on jobplane.%I', v_table.name);
      execute format('drop policy if exists engine on jobplane.%I', v_table.name);
      execute format($p$create policy tenant on jobplane.%I to jobplane_app
        using (tenant_id = (select nullif(current_setting('jobplane.tenant_id', true), '')::uuid))
        with check (tenant_id = (select nullif(current_setting('jobplane.tenant_id', true), '')::uuid))$p$, v_table.name);
      -- The same for the doors, which name their tenant in every statement, in words that no index can serve: as an index condition it took the
      -- place of a better one, and an enqueue walked through all lanes of its tenant.
      execute format($p$create policy doors on jobplane.%I to jobplane_doors
        using (tenant_id is not distinct from (select nullif(current_setting('jobplane.tenant_id', true), '')::uuid))
        with check (tenant_id is not distinct from (select nullif(current_setting('jobplane.tenant_id', true), '')::uuid))$p$, v_table.name);
      execute format('create policy engine on jobplane.%I to jobplane_engine using (true) with check (true)', v_table.name);
    end if;
    set local role jobplane_owner;
  end loop;
end $$;
