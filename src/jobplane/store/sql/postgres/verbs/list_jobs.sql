-- list_jobs: jobs of the tenant that is set, the newest first, from the tables that hold the statuses asked for
-- in:  filters, null: any. statuses, worker_id, correlation_id, trigger_id, and owner_user_id and project_id in the metadata are served by an index; the others look at 10,000 jobs at most. worker_id finds jobs that run
--      there now. limit 1 to 1000, before: the cursor of the last job of the former page, or before_id: its id. offset 0 to 10,000 jobs to leave out. text is looked for in payload, last error, result, tags and
--      correlation id, in upper or lower case, for 2 seconds at most; 6 or more hex digits also at either end of the id, and a whole id finds that job alone. triggered_by: the type of who enqueued it
-- out: whole jobs. A last row with nothing but a cursor: the look stopped there, and there may be more
-- owner: doors
-- for: app, admin
create or replace function jobplane.list_jobs(
  p_statuses text[] default null, p_definitions text[] default null, p_queues text[] default null, p_correlation_id text default null, p_source text default null,
  p_worker_id text default null, p_tags text[] default null, p_metadata jsonb default null, p_created_after timestamptz default null,
  p_created_before timestamptz default null, p_limit int default 50, p_before bigint default null, p_source_ref text default null,
  p_before_id uuid default null, p_offset int default 0, p_text text default null, p_triggered_by text default null, p_trigger_id uuid default null)
returns setof jobplane.job
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant   constant uuid := jobplane.current_tenant();
  v_statuses text[] := coalesce(p_statuses, '{queued,running,succeeded,failed,dead_letter,canceled}');
  v_before   bigint := coalesce(p_before, 9223372036854775807);
  v_narrow   constant boolean := num_nonnulls(p_definitions, p_queues, p_source, p_tags, p_metadata, p_created_after, p_created_before, p_correlation_id, p_source_ref, p_text, p_triggered_by, p_trigger_id) > 0;
  v_scan     constant int := case when v_narrow then 10000 else p_limit + p_offset end;
  v_owner    constant jsonb := case when jsonb_typeof(p_metadata -> 'owner_user_id') in ('string', 'number') then p_metadata -> 'owner_user_id' end;
  v_project  constant jsonb := case when jsonb_typeof(p_metadata -> 'project_id') in ('string', 'number') then p_metadata -> 'project_id' end;
  v_by_facts boolean := num_nonnulls(p_correlation_id, p_trigger_id, v_owner, v_project) > 0;      -- then the status is looked up for each job, else it is where the look begins
  v_text     constant text := lower(p_text);
  v_hex      constant text := substring(replace(v_text, '-', '') from '^[0-9a-f]{6,32}$');
  v_until    constant timestamptz := case when p_text is null then 'infinity' else clock_timestamp() + interval '2 s' end;   -- of the machine's own clock: this bounds work and decides nothing
  v_part     bigint[];
  v_some     bigint[];
  v_last     bigint;
  v_stop     bigint;
  v_done     int := 0;
  v_size     int := 100;
  v_seqs     bigint[];
  v_hits     bigint[];
  v_rest     jobplane.job;
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit must be between 1 and 1000, not %.', p_limit using errcode = 'JP002';
  elsif p_offset is null or p_offset not between 0 and 10000 then
    raise exception 'The offset must be between 0 and 10000, not %.', p_offset using errcode = 'JP002';
  elsif not v_statuses <@ '{queued,running,succeeded,failed,dead_letter,canceled}' then
    raise exception 'Unknown status. Use queued, running, succeeded, failed, dead_letter or canceled.' using errcode = 'JP002';
  elsif length(p_text) not between 1 and 200 then
    raise exception 'The text must have 1 to 200 characters.' using errcode = 'JP002';
  end if;
  if p_before_id is not null then
    select j.seq into v_before from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_before_id;
    if not found then
      raise exception 'There is no job % to continue after. Start from the first page.', p_before_id using errcode = 'JP002';
    end if;
  end if;
  if p_worker_id is not null then v_statuses := array(select s from unnest(v_statuses) s where s = 'running'); end if;
  /*statement:find_seqs*/;
  if v_narrow then
    v_hits := '{}';
    while v_done < cardinality(v_seqs) and cardinality(v_hits) < p_limit + p_offset and v_stop is null loop      -- a few at a time, which are enough for a common filter, and ever more
      v_part := v_seqs[v_done + 1:v_done + v_size];
      /*statement:list_hits*/;
      v_hits := v_hits || v_some;
      v_done := v_done + v_size;
      v_size := least(2 * v_size, 2000);
      if clock_timestamp() >= v_until then v_stop := coalesce(v_last, v_part[1]); end if;
    end loop;
    v_hits := v_hits[p_offset + 1:p_offset + p_limit];
  else
    v_hits := v_seqs[p_offset + 1:];
  end if;
  return query select * from jobplane.describe(v_tenant, v_hits);
  v_rest.cursor := coalesce(v_stop, case when cardinality(v_seqs) = v_scan then v_seqs[v_scan] end);
  if cardinality(v_hits) < p_limit and v_rest.cursor is not null then return next v_rest; end if;
end $$;
