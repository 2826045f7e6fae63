-- activity: what the jobs of the tenant that is set do now: the ten that ended last, the ten that run the longest, and the oldest that could run
-- out: a first row without a job: how many ended as failed or dead_letter in the last hour. Of each status the newest 5,000 jobs are looked at; is_capped: there are more.
--      Then a row for each job. Those that ended last are found among the newest 200 of each status
-- owner: doors
-- for: app, admin
create or replace function jobplane.activity() returns table (failed bigint, is_capped boolean, job jobplane.job)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_tenant constant uuid := jobplane.current_tenant();
  v_since  constant timestamptz := jobplane.clock() - interval '1 h';
  v_cap    constant int := 5000;
  v_seqs   bigint[];
  v_queue  int := 0;
  v_prio   int := -1;
  v_seq    bigint;
  v_at     timestamptz;
  v_first  bigint;
  v_oldest timestamptz := 'infinity';
begin
  select sum(x.n)::bigint, bool_or(x.seen = v_cap) into failed, is_capped
    from unnest('{failed,dead_letter}'::text[]) s(status),
         lateral (select count(*) filter (where e.finished_at > v_since) as n, count(*) as seen
                    from (select e.finished_at from jobplane.endings e where e.tenant_id = v_tenant and e.status = s.status
                           order by e.tenant_id desc, e.status desc, e.seq desc limit v_cap) e) x;
  return next;
  v_seqs := array(
    select e.seq from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
           lateral (select e.seq, e.finished_at from jobplane.endings e where e.tenant_id = v_tenant and e.status = s.status
                     order by e.tenant_id desc, e.status desc, e.seq desc limit 200) e
     order by e.finished_at desc, e.seq desc limit 10)
    || array(
    select l.seq from (select l.seq, l.started_at from jobplane.leases l where l.tenant_id = v_tenant and l.attempt_no > 0 limit 10000) l
     order by l.started_at, l.seq limit 10);
  loop                                                  -- the first row of each of the tenant's lanes
    select r.queue_id, r.priority, r.seq, r.scheduled_for into v_queue, v_prio, v_seq, v_at from jobplane.ready r
     where (r.tenant_id, r.queue_id, r.priority) > (v_tenant, v_queue, v_prio) and r.tenant_id = v_tenant and r.tag > -9223372036854775808
     order by r.tenant_id, r.queue_id, r.priority, r.tag limit 1;
    exit when not found;
    if v_at < v_oldest then
      v_oldest := v_at;
      v_first := v_seq;
    end if;
  end loop;
  if v_first <> all (v_seqs) then v_seqs := v_seqs || v_first; end if;
  return query select null::bigint, null::boolean, d from jobplane.describe(v_tenant, v_seqs) d;
end $$;
