-- policies: row-level security, and who may touch which table. Applied again by every migration; a table with a tenant_id is the tenants', the others are global.
-- Forced, so that the owner is under it too, and closed where no tenant is set: there is no arm for a missing setting.
do $$
declare
  v_hot   constant text[] := '{ready,held,upcoming,leases,limits,clocks,dedupe,expiring,queues,workers}';
  v_table record;
begin
  grant usage on schema jobplane to public;
  for v_table in
    select c.relname as name, c.oid, pg_get_userbyid(c.relowner) as owner,
           exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped) as has_tenant
      from pg_class c where c.relnamespace = 'jobplane'::regnamespace and c.relkind in ('r', 'p') and c.relname not in ('migrations', 'installation')
     order by c.relname
  loop
    execute format('set local role %I', v_table.owner);
    execute format('revoke all on jobplane.%I from public, jobplane_app, jobplane_worker, jobplane_scheduler, jobplane_admin, jobplane_maintenance', v_table.name);
    execute format('grant select, insert, update, delete on jobplane.%I to jobplane_engine', v_table.name);
    if v_table.has_tenant then
      execute format('alter table jobplane.%I enable row level security', v_table.name);
      execute format('alter table jobplane.%I force row level security', v_table.name);
      execute format('drop policy if exists tenant on jobplane.%I', v_table.name);
      execute format('drop policy if exists engine on jobplane.%I', v_table.name);
      execute format($p$create policy tenant on jobplane.%I to jobplane_doors, jobplane_app
        using (tenant_id = nullif(current_setting('jobplane.tenant_id', true), '')::uuid)
        with check (tenant_id = nullif(current_setting('jobplane.tenant_id', true), '')::uuid)$p$, v_table.name);
      execute format('create policy engine on jobplane.%I to jobplane_engine using (true) with check (true)', v_table.name);
    end if;
    reset role;
    set local role jobplane_owner;
    if v_table.name = any (v_hot) then
      if current_setting('server_version_num')::int >= 170000 then
        execute format('grant maintain on jobplane.%I to jobplane_maintenance', v_table.name);
      elsif v_table.owner <> 'jobplane_hot' then
        execute format('alter table jobplane.%I owner to jobplane_hot', v_table.name);
      end if;
    end if;
  end loop;
end $$;

do $$
declare
  v_grant text;
begin
  foreach v_grant in array array[
    'select on jobplane.tenants, jobplane.definitions, jobplane.queues, jobplane.jobs, jobplane.ready, jobplane.held, jobplane.upcoming, jobplane.leases, jobplane.endings,
       jobplane.attempts, jobplane.results, jobplane.dedupe, jobplane.receipts, jobplane.expiring, jobplane.clocks to jobplane_doors',
    'insert on jobplane.jobs, jobplane.ready, jobplane.upcoming, jobplane.endings, jobplane.dedupe, jobplane.receipts, jobplane.expiring to jobplane_doors',
    'delete on jobplane.ready, jobplane.held, jobplane.upcoming, jobplane.endings, jobplane.dedupe, jobplane.receipts, jobplane.expiring to jobplane_doors',
    'update (cancel_requested_at, cancel_reason) on jobplane.leases to jobplane_doors',
    'update (seq) on jobplane.receipts to jobplane_doors',
    'update on jobplane.jobs to jobplane_doors',
    'update (finished_at) on jobplane.endings to jobplane_doors',
    'usage on sequence jobplane.jobs_seq_seq to jobplane_doors, jobplane_engine',
    'usage on sequence jobplane.turns to jobplane_engine',
    'select on jobplane.definitions, jobplane.queues, jobplane.jobs, jobplane.ready, jobplane.held, jobplane.upcoming, jobplane.endings, jobplane.results, jobplane.tenants
       to jobplane_app',
    'select (seq, tenant_id, scheduled_for, started_at, expires_at, cancel_requested_at, queue_id, definition_id, attempt_no, progress, priority, attempts_left, worker_id,
       cancel_reason, progress_message) on jobplane.leases to jobplane_app',
    'select (seq, tenant_id, scheduled_for, started_at, finished_at, attempt_no, outcome, led_to, exit_code, progress, worker_id, reason, error, progress_message)
       on jobplane.attempts to jobplane_app',
    'select on jobplane.migrations, jobplane.installation to public']
  loop
    execute 'grant ' || v_grant;
  end loop;
end $$;
