-- count_jobs: how many jobs of the tenant that is set a list would show, counted up to 10,000
-- in:  filters as list_jobs has them, but for text. What no index serves is counted among the newest 10,000 jobs at most
-- out: total, is_capped: there may be more
-- owner: doors
-- for: app, admin
create or replace function jobplane.count_jobs(
  p_statuses text[] default null, p_definitions text[] default null, p_queues text[] default null, p_correlation_id text default null, p_source text default null,
  p_worker_id text default null, p_tags text[] default null, p_metadata jsonb default null, p_created_after timestamptz default null,
  p_created_before timestamptz default null, p_source_ref text default null,
  p_triggered_by text default null, p_trigger_id uuid default null)
returns table (total int, is_capped boolean)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant   constant uuid := jobplane.current_tenant();
  v_statuses text[] := coalesce(p_statuses, '{queued,running,succeeded,failed,dead_letter,canceled}');
  v_cap      constant int := 10000;
  v_before   constant bigint := 9223372036854775807;
  v_scan     constant int := v_cap;
  v_narrow   constant boolean := num_nonnulls(p_definitions, p_queues, p_source, p_tags, p_metadata, p_created_after, p_created_before, p_correlation_id, p_source_ref, p_triggered_by, p_trigger_id) > 0;
  v_owner    constant jsonb := case when jsonb_typeof(p_metadata -> 'owner_user_id') in ('string', 'number') then p_metadata -> 'owner_user_id' end;
  v_project  constant jsonb := case when jsonb_typeof(p_metadata -> 'project_id') in ('string', 'number') then p_metadata -> 'project_id' end;
  v_by_facts boolean := num_nonnulls(p_correlation_id, p_trigger_id, v_owner, v_project) > 0;
  v_text     constant text := null;                     -- a text is not counted: a list leaves out jobs that show it only in masked values
  v_hex      constant text := null;
  v_until    constant timestamptz := 'infinity';
  v_part     bigint[];
  v_some     bigint[];
  v_last     bigint;
  v_seqs     bigint[];
  v_count    int;
begin
  if not v_statuses <@ '{queued,running,succeeded,failed,dead_letter,canceled}' then
    raise exception 'Unknown status. Use queued, running, succeeded, failed, dead_letter or canceled.' using errcode = 'JP002';
  end if;
  if p_worker_id is not null then v_statuses := array(select s from unnest(v_statuses) s where s = 'running'); end if;
  if v_narrow then
    /*statement:find_seqs*/;
    v_part := v_seqs;
    /*statement:list_hits*/;
    return query select cardinality(v_some), coalesce(cardinality(v_seqs) = v_scan, false);
  else
    /*statement:count_states*/;
    return query select least(v_count, v_cap), v_count > v_cap;
  end if;
end $$;
