-- prune_lines: one step of a walk over the jobs that have log lines, from the oldest to the newest: remove the lines of ended jobs that are past their time, and lines whose job
-- is gone. The lines of an active job stay
-- in:  the seq to go on after; how many jobs to look at, 1000 at most; how many days after its end a job's lines are kept, where its definition does not say so itself
--      (retention_days_logs); dry_run: nothing goes
-- out: a row for each definition: of how many jobs lines went, and how many lines; gone jobs have no definition. A last row without jobs has the seq to go on after, null when
--      the walk is over, and how many jobs were looked at. 5 lines for each job that is looked at go in a step at most. The walk is over at jobs that are too young
-- owner: engine
-- for: scheduler
create or replace function jobplane.prune_lines(p_after bigint default 0, p_limit int default 1000, p_retention_days int default 7, p_dry_run boolean default false)
returns table (definition_key text, jobs int, lines bigint, next_after bigint, looked int)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_most   constant int := least(greatest(p_limit, 1), 1000);
  v_young  timestamptz;
  v_last   timestamptz;
  v_seqs   bigint[];
  v_keys   text[];
  v_logged bigint[];
  v_lines  bigint[];
begin
  if p_retention_days is null or p_retention_days not between 0 and 36500 then
    raise exception 'The retention_days must be between 0 and 36500, not %.', p_retention_days using errcode = 'JP002';
  end if;
  select v_now - make_interval(hours => 24 * least(p_retention_days, r.days_logs)) into v_young from jobplane.retention_rules() r;
  with recursive found as (
    (select l.seq from jobplane.logs l where l.seq > p_after order by l.seq limit 1) union all
    select (select l.seq from jobplane.logs l where l.seq > f.seq order by l.seq limit 1) from found f where f.seq is not null),
  stretch as materialized (select f.seq from found f where f.seq is not null limit v_most),
  known as materialized (
    select s.seq, j.tenant_id, j.definition_key, j.created_at,
           v_now - make_interval(hours => 24 * least(coalesce(d.retention_days_logs, p_retention_days), 36500)) as cut_off
      from stretch s
      left join lateral (select j.tenant_id, j.definition_key, j.created_at from jobplane.jobs j where j.seq = s.seq offset 0) j on true
      left join lateral (select d.retention_days_logs from jobplane.definitions d where d.key = j.definition_key offset 0) d on true),
  past as materialized (
    select k.seq, null::text as definition_key from known k where k.tenant_id is null
    union all
    select k.seq, k.definition_key
      from known k, unnest('{succeeded,failed,dead_letter,canceled}'::text[]) x(status),
           lateral (select from jobplane.endings e where e.tenant_id = k.tenant_id and e.status = x.status and e.seq = k.seq and e.finished_at <= k.cut_off offset 0) e
      left join lateral (
        select true as is_locked from jobplane.endings e where not p_dry_run and e.tenant_id = k.tenant_id and e.status = x.status and e.seq = k.seq for update skip locked) l on true
     where k.created_at <= k.cut_off and (p_dry_run or l.is_locked))
  select (select count(*) from known), (select max(k.seq) from known k), (select k.created_at from known k order by k.seq desc limit 1), array_agg(p.seq), array_agg(p.definition_key)
    into looked, next_after, v_last, v_seqs, v_keys from past p;
  if looked < v_most or v_last > v_young then next_after := null; end if;
  v_logged := array(select s from unnest(v_seqs) s order by s);
  if p_dry_run then
    select array_agg((select count(*) from jobplane.logs l where l.seq = s) order by s) into v_lines from unnest(v_logged) s;
  elsif v_logged <> '{}' then
    select array_agg(l.seq order by l.seq), array_agg(l.lines::bigint order by l.seq) into v_logged, v_lines from jobplane.remove_lines(v_logged, 5 * v_most) l;
    if (select sum(n) from unnest(v_lines) n) >= 5 * v_most then next_after := v_logged[cardinality(v_logged)] - 1; end if;
  end if;
  return query
  select u.definition_key, count(*)::int, sum(l.lines)::bigint, null::bigint, null::int
    from unnest(v_logged, v_lines) l(seq, lines) join unnest(v_seqs, v_keys) u(seq, definition_key) on u.seq = l.seq where l.lines > 0 group by 1;
  return query select null::text, null::int, null::bigint, next_after, looked;
end $$;
