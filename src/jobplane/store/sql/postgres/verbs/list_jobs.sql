-- list_jobs: jobs of the tenant that is set, the newest first, from the tables that hold the statuses asked for
-- in:  filters, null: any. statuses, worker_id, correlation_id, and owner_user_id and project_id in the metadata are served by an index; the others look at 10,000 jobs at most. worker_id finds jobs that run
--      there now. limit 1 to 1000, before: the cursor of the last job of the former page, or before_id: its id. offset 0 to 10,000 jobs to leave out
-- out: whole jobs. A last row with nothing but a cursor: the look stopped there, and there may be more
-- owner: doors
-- for: app, admin
create or replace function jobplane.list_jobs(
  p_statuses text[] default null, p_definitions text[] default null, p_queues text[] default null, p_correlation_id text default null, p_source text default null,
  p_worker_id text default null, p_tags text[] default null, p_metadata jsonb default null, p_created_after timestamptz default null,
  p_created_before timestamptz default null, p_limit int default 50, p_before bigint default null, p_source_ref text default null,
  p_before_id uuid default null, p_offset int default 0)
returns setof jobplane.job
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant   constant uuid := jobplane.current_tenant();
  v_statuses text[] := coalesce(p_statuses, '{queued,running,succeeded,failed,dead_letter,canceled}');
  v_before   bigint := coalesce(p_before, 9223372036854775807);
  v_narrow   constant boolean := num_nonnulls(p_definitions, p_queues, p_source, p_tags, p_metadata, p_created_after, p_created_before, p_correlation_id, p_source_ref) > 0;
  v_scan     constant int := case when v_narrow then 10000 else p_limit + p_offset end;
  v_owner    constant jsonb := case when jsonb_typeof(p_metadata -> 'owner_user_id') in ('string', 'number') then p_metadata -> 'owner_user_id' end;
  v_project  constant jsonb := case when jsonb_typeof(p_metadata -> 'project_id') in ('string', 'number') then p_metadata -> 'project_id' end;
  v_by_facts constant boolean := num_nonnulls(p_correlation_id, v_owner, v_project) > 0;      -- then the status is looked up for each job, else it is where the look begins
  v_seqs     bigint[];
  v_hits     bigint[];
  v_rest     jobplane.job;
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'limit must be between 1 and 1000, not %', p_limit using errcode = 'JP002';
  elsif p_offset is null or p_offset not between 0 and 10000 then
    raise exception 'offset must be between 0 and 10000, not %', p_offset using errcode = 'JP002';
  elsif not v_statuses <@ '{queued,running,succeeded,failed,dead_letter,canceled}' then
    raise exception 'a status is one of queued, running, succeeded, failed, dead_letter, canceled' using errcode = 'JP002';
  end if;
  if p_before_id is not null then
    select j.seq into v_before from jobplane.jobs j where j.tenant_id = v_tenant and j.id = p_before_id;
    if not found then
      raise exception 'there is no job % to begin after', p_before_id using errcode = 'JP002';
    end if;
  end if;
  if p_worker_id is not null then v_statuses := array(select s from unnest(v_statuses) s where s = 'running'); end if;
  /*statement:find_seqs*/;
  if v_narrow then
    v_hits := array(/*statement:match_jobs*/ limit p_limit offset p_offset);
  else
    v_hits := v_seqs[p_offset + 1:];
  end if;
  return query select * from jobplane.describe(v_tenant, v_hits);
  if cardinality(v_hits) < p_limit and cardinality(v_seqs) = v_scan then
    v_rest.cursor := v_seqs[v_scan];
    return next v_rest;
  end if;
end $$;
