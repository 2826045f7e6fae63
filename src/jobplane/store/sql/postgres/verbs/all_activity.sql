-- all_activity: what the jobs of all tenants do now: the ten that ended last, the ten that run the longest, the oldest that could run, and how busy the workers are. Its time grows
-- with the number of tenants: ask for it every few seconds at most
-- out: a first row without a job: how many ended as failed or dead_letter in the last hour, workers that were seen within a minute and those that were not, slots of the former and
--      how many of these are busy. Of each status some 20,000 jobs are looked at, the newest of each tenant, 20 at least; is_capped: some tenant has more. Then a row for each job
-- owner: engine
-- for: admin
create or replace function jobplane.all_activity()
returns table (failed bigint, is_capped boolean, live bigint, stale bigint, slots bigint, busy bigint, job jobplane.job)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set jit = off set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now     constant timestamptz := jobplane.clock();
  v_tenants constant bigint := (select count(*) from jobplane.tenants t where t.slug > '');
  v_each    constant bigint := greatest(20, 20000 / greatest(v_tenants, 2));
  v_few     constant bigint := greatest(10, 4000 / greatest(v_tenants, 20));
  v_seqs    bigint[];
  v_tenant  uuid := '00000000-0000-0000-0000-000000000000';
  v_queue   int := 0;
  v_prio    int := -1;
  v_seq     bigint;
  v_at      timestamptz;
  v_first   bigint;
  v_oldest  timestamptz := 'infinity';
begin
  select sum(x.n)::bigint, bool_or(x.seen = v_each) into failed, is_capped
    from jobplane.tenants t, unnest('{failed,dead_letter}'::text[]) s(status),
         lateral (select count(*) filter (where e.finished_at > v_now - interval '1 h') as n, count(*) as seen
                    from (select e.finished_at from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = s.status
                           order by e.tenant_id desc, e.status desc, e.seq desc limit v_each) e) x
   where t.slug > '';
  select count(*) filter (where w.live), count(*) filter (where not w.live), coalesce(sum(w.slots) filter (where w.live), 0), coalesce(sum(w.running_count) filter (where w.live), 0)
    into live, stale, slots, busy
    from (select w.slots, w.running_count, w.last_seen_at > v_now - interval '60 s' as live from jobplane.workers w where w.worker_id > '') w;
  return next;
  v_seqs := array(
    select e.seq from jobplane.tenants t, unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
           lateral (select e.seq, e.finished_at from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = s.status
                     order by e.tenant_id desc, e.status desc, e.seq desc limit v_few) e
     where t.slug > '' order by e.finished_at desc, e.seq desc limit 10)
    || array(
    select l.seq from (select l.seq, l.started_at from jobplane.leases l where l.seq > 0 order by l.seq limit 20000) l order by l.started_at, l.seq limit 10);
  loop                                                  -- the first row of each lane of each tenant
    select r.tenant_id, r.queue_id, r.priority, r.seq, r.scheduled_for into v_tenant, v_queue, v_prio, v_seq, v_at from jobplane.ready r
     where (r.tenant_id, r.queue_id, r.priority) > (v_tenant, v_queue, v_prio) and r.tag > -9223372036854775808
     order by r.tenant_id, r.queue_id, r.priority, r.tag limit 1;
    exit when not found;
    if v_at < v_oldest then
      v_oldest := v_at;
      v_first := v_seq;
    end if;
  end loop;
  if v_first <> all (v_seqs) then v_seqs := v_seqs || v_first; end if;
  return query select null::bigint, null::boolean, null::bigint, null::bigint, null::bigint, null::bigint, d from (
      select j.tenant_id, array_agg(j.seq) as seqs from unnest(v_seqs) s(seq), lateral (select j.tenant_id, j.seq from jobplane.jobs j where j.seq = s.seq offset 0) j
       group by j.tenant_id) t, lateral jobplane.describe(t.tenant_id, t.seqs) d order by array_position(v_seqs, d.cursor);
end $$;
