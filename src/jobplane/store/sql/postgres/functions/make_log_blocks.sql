-- make_log_blocks: make the blocks of logs that hold these jobs, each with the walls of the whole table. Attaching waits for nobody who reads or writes.
-- for: engine
create or replace function jobplane.make_log_blocks(p_seqs bigint[]) returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set lock_timeout = '2s' as $$
#variable_conflict use_column
declare
  v_logs   constant regclass := 'jobplane.logs';
  v_block  bigint;
  v_name   text;
  v_policy record;
  v_made   int := 0;
begin
  lock table only jobplane.logs in share update exclusive mode;   -- one at a time, as attaching does: who comes second finds them made
  for v_block in select distinct s / 1000000 from unnest(p_seqs) s where s >= 0 order by 1 loop
    v_name := 'logs_' || v_block;
    continue when to_regclass('jobplane.' || v_name) is not null;
    execute format('create table jobplane.%I (like jobplane.logs including all)', v_name);
    if (select relrowsecurity from pg_class where oid = v_logs) then
      execute format('alter table jobplane.%I enable row level security', v_name);
      execute format('alter table jobplane.%I force row level security', v_name);
      for v_policy in select p.polname as name, pg_get_expr(p.polqual, v_logs) as seen, pg_get_expr(p.polwithcheck, v_logs) as written,
                             (select string_agg(quote_ident(r.rolname), ', ') from pg_roles r where r.oid = any (p.polroles)) as roles
                        from pg_policy p where p.polrelid = v_logs loop
        execute format('create policy %I on jobplane.%I to %s using (%s) with check (%s)', v_policy.name, v_name, v_policy.roles, v_policy.seen, v_policy.written);
      end loop;
      execute format('grant select, insert, update, delete on jobplane.%I to jobplane_engine', v_name);
    end if;
    execute format('alter table jobplane.logs attach partition jobplane.%I for values from (%s) to (%s)', v_name, v_block * 1000000, (v_block + 1) * 1000000);
    v_made := v_made + 1;
  end loop;
  return v_made;
end $$;
