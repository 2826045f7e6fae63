-- search_logs: lines of the tenant that is set whose message has all words of a text; a word stands for all that begin with it, in upper or lower case
-- in:  the text; definitions, null: any; since when; limit 1 to 1000; the lowest level (debug | info | warning | error), null: any; one job, null: any; before when
-- out: the line with its job, those of the newest jobs first and of jobs that wait for another attempt last. A last row with nothing but `stopped`: the search ended after
--      2 seconds, or more than 100,000 jobs wait and it looked at the newest. Of one job it reads all lines, of each of many the last 100,000
-- owner: engine
-- for: app, admin
create or replace function jobplane.search_logs(p_text text, p_definitions text[] default null, p_since timestamptz default null, p_limit int default 100,
                                                p_level text default null, p_job uuid default null, p_until timestamptz default null)
returns table (job_id uuid, definition_key text, attempt_no int, line int, at timestamptz, level text, message text, fields jsonb, stopped boolean)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant    constant uuid := jobplane.current_tenant();
  v_statuses  constant text[] := '{running,succeeded,failed,dead_letter,canceled}';
  p_worker_id constant text := null;
  v_scan      int := 10;                                                       -- jobs at a time: a few, which are enough for a common word, and ever more
  v_depth     constant int := 100000;
  v_page      constant int := 10000;                                           -- lines of one job at a time
  v_until     constant timestamptz := clock_timestamp() + interval '2 s';      -- of the machine's own clock: this bounds work and decides nothing
  v_words     constant text[] := array(select distinct w from regexp_split_to_table(lower(left(p_text, 500)), '[^[:alnum:]]+') w where w <> '');
  v_parts     constant text[] := array(select '%' || w || '%' from unnest(v_words) w);
  v_patterns  constant text[] := array(select '(^|[^[:alnum:]])' || w from unnest(v_words) w);
  v_levels    constant text[] := ('{debug,info,warning,error}'::text[])[array_position('{debug,info,warning,error}', p_level):];
  v_before    bigint := 9223372036854775807;
  v_seqs      bigint[];
  v_left      int := p_limit;
  v_n         int;
  v_seq       bigint;
  v_key       text;
  v_attempt_no int := 0;                                                       -- the last that was read
  v_line      int := 0;
begin
  if p_limit is null or p_limit not between 1 and 1000 then
    raise exception 'The limit must be between 1 and 1000, not %.', p_limit using errcode = 'JP002';
  elsif p_text is null or length(p_text) > 500 or cardinality(v_words) not between 1 and 16 then
    raise exception 'A search must have 1 to 16 words of letters and digits, and at most 500 characters.' using errcode = 'JP002';
  elsif p_level is not null and v_levels is null then
    raise exception 'The level must be debug, info, warning or error, not "%".', left(p_level, 100) using errcode = 'JP002';
  end if;
  select j.seq, j.definition_key into v_seq, v_key from jobplane.jobs j
   where j.tenant_id = v_tenant and j.id = p_job and (p_definitions is null or j.definition_key = any (p_definitions));
  while v_seq is not null loop
    return query
    select p_job, v_key, l.attempt_no, l.line, l.at, l.level, l.message, l.fields, false
      from (select l.* from jobplane.logs l where l.seq = v_seq and (l.attempt_no, l.line) > (v_attempt_no, v_line) and l.tenant_id = v_tenant
             order by l.seq, l.attempt_no, l.line limit v_page) l
     where clock_timestamp() < v_until and (p_since is null or l.at >= p_since) and (p_until is null or l.at < p_until) and (v_levels is null or l.level = any (v_levels))
       and lower(l.message) like all (v_parts) and lower(l.message) ~ all (v_patterns)
     order by l.attempt_no, l.line limit v_left;
    get diagnostics v_n = row_count;
    v_left := v_left - v_n;
    exit when v_left <= 0 or clock_timestamp() >= v_until;
    select l.attempt_no, l.line into v_attempt_no, v_line from jobplane.logs l
     where l.seq = v_seq and (l.attempt_no, l.line) > (v_attempt_no, v_line) and l.tenant_id = v_tenant
     order by l.seq, l.attempt_no, l.line offset v_page - 1 limit 1;
    exit when not found;
  end loop;
  while p_job is null loop
    /*statement:list_seqs*/;
    exit when v_seqs is null;
    v_before := v_seqs[cardinality(v_seqs)];
    return query
    /*statement:search_logs*/;
    get diagnostics v_n = row_count;
    v_left := v_left - v_n;
    exit when v_left <= 0 or cardinality(v_seqs) < v_scan or clock_timestamp() >= v_until;
    v_scan := least(2 * v_scan, 200);
  end loop;
  if p_job is null and v_left > 0 and clock_timestamp() < v_until then
    /*statement:search_waiting*/;
    return query
    /*statement:search_logs*/;
  end if;
  if stopped or clock_timestamp() >= v_until then
    stopped := true;
    return next;
  end if;
end $$;
