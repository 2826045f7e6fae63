-- list_all_jobs: jobs of all tenants, the newest first; where statuses are asked for, from the newest of each tenant
-- in:  filters, limit, before and before_id as list_jobs has them. What no index serves is looked for among 10,000 jobs at most
-- out: whole jobs. A last row with nothing but a cursor: the look stopped there, and there may be more
-- owner: engine
-- for: admin
create or replace function jobplane.list_all_jobs(
  p_statuses text[] default null, p_definitions text[] default null, p_queues text[] default null, p_correlation_id text default null, p_source text default null,
  p_worker_id text default null, p_tags text[] default null, p_metadata jsonb default null, p_created_after timestamptz default null,
  p_created_before timestamptz default null, p_limit int default 50, p_before bigint default null, p_source_ref text default null,
  p_before_id uuid default null, p_text text default null, p_triggered_by text default null, p_trigger_id uuid default null)
returns setof jobplane.job
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set jit = off set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_statuses text[] := coalesce(p_statuses, '{queued,running,succeeded,failed,dead_letter,canceled}');
  v_begin    text[];
  v_before   bigint := coalesce(p_before, 9223372036854775807);
  v_narrow   constant boolean := num_nonnulls(p_definitions, p_queues, p_source, p_tags, p_metadata, p_created_after, p_created_before, p_correlation_id, p_source_ref, p_text, p_triggered_by, p_trigger_id) > 0;
  v_owner    constant jsonb := case when p_trigger_id is null and jsonb_typeof(p_metadata -> 'owner_user_id') in ('string', 'number') then p_metadata -> 'owner_user_id' end;
  v_project  constant jsonb := case when p_trigger_id is null and v_owner is null and jsonb_typeof(p_metadata -> 'project_id') in ('string', 'number') then p_metadata -> 'project_id' end;
  v_by_facts boolean := num_nonnulls(p_correlation_id, p_trigger_id, v_owner, v_project) > 0;
  v_page     constant int := p_limit;
  v_scan     constant int := case when v_narrow then 10000 else p_limit end;
  v_ended    text[];
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
  elsif not v_statuses <@ '{queued,running,succeeded,failed,dead_letter,canceled}' then
    raise exception 'Unknown status. Use queued, running, succeeded, failed, dead_letter or canceled.' using errcode = 'JP002';
  elsif length(p_text) not between 1 and 200 then
    raise exception 'The text must have 1 to 200 characters.' using errcode = 'JP002';
  end if;
  if p_before_id is not null then
    select j.seq into v_before from jobplane.tenants t, lateral (select j.seq from jobplane.jobs j where j.tenant_id = t.tenant_id and j.id = p_before_id offset 0) j order by j.seq limit 1;
    if not found then
      raise exception 'There is no job % to continue after. Start from the first page.', p_before_id using errcode = 'JP002';
    end if;
  end if;
  if p_worker_id is not null then v_statuses := array(select s from unnest(v_statuses) s where s = 'running'); end if;
  /*statement:find_all_seqs*/;
  if v_narrow then
    v_hits := '{}';
    while v_done < cardinality(v_seqs) and cardinality(v_hits) < p_limit and v_stop is null loop      -- a few at a time, which are enough for a common filter, and ever more
      v_part := v_seqs[v_done + 1:v_done + v_size];
      /*statement:list_hits*/;
      v_hits := v_hits || v_some;
      v_done := v_done + v_size;
      v_size := least(2 * v_size, 2000);
      if clock_timestamp() >= v_until then v_stop := coalesce(v_last, v_part[1]); end if;
    end loop;
    v_hits := v_hits[:p_limit];
  else
    v_hits := v_seqs;
  end if;
  return query select d.* from (
      select j.tenant_id, array_agg(j.seq) as seqs from unnest(v_hits) s(seq), lateral (select j.tenant_id, j.seq from jobplane.jobs j where j.seq = s.seq offset 0) j
       group by j.tenant_id) t, lateral jobplane.describe(t.tenant_id, t.seqs) d order by d.cursor desc;
  v_rest.cursor := coalesce(v_stop, v_rest.cursor);
  if cardinality(v_hits) < p_limit and v_rest.cursor is not null then return next v_rest; end if;
end $$;
