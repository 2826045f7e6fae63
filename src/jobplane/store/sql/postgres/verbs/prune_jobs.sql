-- prune_jobs: one step of a walk from the newest job to the oldest: remove ended jobs that are past their retention time, or exceed the number that their tenant keeps of
-- their definition, with their attempts, results, output, keys and log lines. An active job stays, and so does one that somebody is retrying at this moment
-- in:  the seq to go on below (null: from the beginning); how many jobs to look at, 1000 at most; how many days after its end a job is kept, and how many ended jobs
--      a tenant keeps of a definition (null: all), where the definition does not say so itself (retention_days, retention_count); dry_run: nothing goes.
--      Three columns say how many ended jobs of a tenant and definition the walk has met before, for those that the answer before named
-- out: a row for each tenant and definition: how many jobs went, with how many lines, when the oldest of them had ended; counted: how many ended jobs of it were
--      met, null where no number of jobs is set; 0 for those that the next step may meet. A last row without a tenant has the seq to go on below, null when the walk is over,
--      and how many jobs were looked at. 5 lines for each job that is looked at go in a step at most: a job with more of them goes in a later step
-- owner: engine
-- for: scheduler
create or replace function jobplane.prune_jobs(
  p_before bigint default null, p_limit int default 1000, p_retention_days int default 30, p_retention_count int default null, p_dry_run boolean default false,
  p_tenant_ids uuid[] default '{}', p_definition_keys text[] default '{}', p_counted int[] default '{}')
returns table (tenant_id uuid, definition_key text, jobs int, lines bigint, oldest_at timestamptz, counted int, next_before bigint, looked int)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_most   constant int := least(greatest(p_limit, 1), 1000);
  v_counts boolean;
  v_least  int;
  v_before bigint := p_before;
  v_low    bigint;
  v_seqs   bigint[];
  v_ids    uuid[];
  v_keys   text[];
  v_ends   timestamptz[];
  v_ruled  boolean[];
  v_tids   tid[];
  v_goes   boolean[];
  v_gone   bigint[];
  v_logged bigint[];
  v_lines  int[];
begin
  if p_retention_days is null or p_retention_days not between 0 and 36500 then
    raise exception 'The retention_days must be between 0 and 36500, not %.', p_retention_days using errcode = 'JP002';
  elsif p_retention_count < 0 then
    raise exception 'The retention_count must be 0 or more, not %.', p_retention_count using errcode = 'JP002';
  end if;
  select p_retention_count is not null or r.counts, least(p_retention_days, r.days) into v_counts, v_least from jobplane.retention_rules() r;
  if v_before is null then
    v_before := jobplane.prune_from(case when not v_counts then v_now - make_interval(hours => 24 * v_least) end);
  end if;
  -- A job has ended after it was made: the endings of younger ones are not looked at.
  with stretch as materialized (
    select j.seq, j.tenant_id, j.definition_key, j.created_at, v_now - make_interval(hours => 24 * least(coalesce(d.retention_days, p_retention_days), 36500)) as cut_off,
           coalesce(d.retention_count, p_retention_count) as most
      from (select j.seq, j.tenant_id, j.definition_key, j.created_at from jobplane.jobs j where j.seq < v_before order by j.seq desc limit v_most) j
      left join lateral (select d.retention_days, d.retention_count from jobplane.definitions d where d.key = j.definition_key offset 0) d on true),
  ended as materialized (
    select s.seq, s.tenant_id, s.definition_key, s.cut_off, s.most, x.status, e.finished_at,
           row_number() over (partition by s.tenant_id, s.definition_key order by s.seq desc) as place
      from stretch s, unnest('{succeeded,failed,dead_letter,canceled}'::text[]) x(status),
           lateral (select e.finished_at from jobplane.endings e where e.tenant_id = s.tenant_id and e.status = x.status and e.seq = s.seq offset 0) e
     where s.most is not null or s.created_at <= s.cut_off),
  judged as materialized (
    select n.*, n.finished_at <= n.cut_off or coalesce(n.place + coalesce(c.met, 0) > n.most, false) as is_past
      from ended n left join unnest(p_tenant_ids, p_definition_keys, p_counted) c(tenant_id, definition_key, met)
        on c.tenant_id = n.tenant_id and c.definition_key = n.definition_key)
  select (select min(s.seq) from stretch s), (select count(*) from stretch s), array_agg(n.seq), array_agg(n.tenant_id), array_agg(n.definition_key),
         array_agg(n.finished_at), array_agg(n.most is not null), array_agg(l.tid), array_agg(n.is_past and (p_dry_run or l.tid is not null))
    into v_low, looked, v_seqs, v_ids, v_keys, v_ends, v_ruled, v_tids, v_goes
    from judged n left join lateral (
      select e.ctid as tid from jobplane.endings e
       where n.is_past and not p_dry_run and e.tenant_id = n.tenant_id and e.status = n.status and e.seq = n.seq for update skip locked) l on true;
  next_before := case when looked = v_most then v_low end;
  v_gone := array(select u.seq from unnest(v_seqs, v_goes) u(seq, goes) where u.goes order by u.seq desc);
  v_logged := array(select s from unnest(v_gone) s where exists (select from jobplane.logs l where l.seq = s) order by s desc);
  if p_dry_run then
    select array_agg((select count(*) from jobplane.logs l where l.seq = s) order by s desc) into v_lines from unnest(v_logged) s;
  elsif v_logged <> '{}' then
    select array_agg(l.seq order by l.seq desc), array_agg(l.lines order by l.seq desc) into v_logged, v_lines from jobplane.remove_lines(v_logged, 5 * v_most) l;
    if (select sum(n) from unnest(v_lines) n) >= 5 * v_most then               -- the last of them, and all below, are for the next step
      v_low := v_logged[cardinality(v_logged)] + 1;
      next_before := v_low;
      v_gone := array(select s from unnest(v_gone) s where s >= v_low);
    end if;
  end if;
  if not p_dry_run and v_gone <> '{}' then
    delete from jobplane.endings e where e.ctid = any (array(select u.tid from unnest(v_seqs, v_tids) u(seq, tid) where u.seq = any (v_gone)));
    delete from jobplane.attempts a where a.seq = any (v_gone);
    delete from jobplane.results r where r.seq = any (v_gone);
    delete from jobplane.outputs o where o.seq = any (v_gone);
    with j as (delete from jobplane.jobs j where j.seq = any (v_gone) returning j.seq, j.tenant_id, j.definition_id, j.idempotency_key, j.dedupe_key, j.expires_at),
    r as (delete from jobplane.receipts r using (select k.tid from j, lateral (select k.ctid as tid from jobplane.receipts k
            where k.tenant_id = j.tenant_id and k.definition_id = j.definition_id and k.idempotency_key = j.idempotency_key and k.seq = j.seq offset 0) k) k where r.ctid = k.tid),
    d as (delete from jobplane.dedupe d using (select k.tid from j, lateral (select k.ctid as tid from jobplane.dedupe k
            where k.tenant_id = j.tenant_id and k.dedupe_key = j.dedupe_key and k.seq = j.seq offset 0) k) k where d.ctid = k.tid)
    delete from jobplane.expiring x using (select k.tid from j, lateral (select k.ctid as tid from jobplane.expiring k
      where k.expires_at = j.expires_at and k.seq = j.seq offset 0) k) k where x.ctid = k.tid;
  end if;
  return query
  with met as (
    select u.tenant_id, u.definition_key, count(*) filter (where u.goes)::int as jobs, coalesce(sum(l.lines) filter (where u.goes), 0)::bigint as lines,
           min(u.finished_at) filter (where u.goes) as oldest_at, count(*) filter (where u.ruled)::int as counted, bool_or(u.ruled) as ruled
      from unnest(v_seqs, v_ids, v_keys, v_ends, v_ruled, v_goes) u(seq, tenant_id, definition_key, finished_at, ruled, goes)
      left join unnest(v_logged, v_lines) l(seq, lines) on l.seq = u.seq
     where u.seq >= v_low group by 1, 2),
  ahead as (
    select j.tenant_id, j.definition_key
      from (select distinct j.tenant_id, j.definition_key
              from (select j.tenant_id, j.definition_key from jobplane.jobs j where v_counts and j.seq < next_before order by j.seq desc limit 1000) j) j
      left join lateral (select d.retention_count from jobplane.definitions d where d.key = j.definition_key offset 0) d on true
     where coalesce(d.retention_count, p_retention_count) is not null)
  select coalesce(m.tenant_id, a.tenant_id), coalesce(m.definition_key, a.definition_key), coalesce(m.jobs, 0), coalesce(m.lines, 0), m.oldest_at,
         case when m.ruled or a.tenant_id is not null then coalesce(m.counted, 0) end, null::bigint, null::int
    from met m full join ahead a on a.tenant_id = m.tenant_id and a.definition_key = m.definition_key
   where m.jobs > 0 or m.ruled or a.tenant_id is not null;
  return query select null::uuid, null::text, null::int, null::bigint, null::timestamptz, null::int, next_before, looked;
end $$;
