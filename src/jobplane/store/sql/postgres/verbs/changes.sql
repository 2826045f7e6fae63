-- changes: marks that differ when something has changed: of some tenants, and of the installation. A caller that compares them once a second needs no session of its own, and writers pay nothing
-- A tenant's jobs: the newest 50 in each table, all that run with their progress, and the newest row of the audit log, so that what people do to an old job shows, too. A short job that is older
-- than 50 others of its status and ran without a person's doing may not show. A tenant's problems: its own rows and, of the 100 newest jobs that wait, whether their queues are paused and served.
-- in:  ids of tenants, of which the first 1,000 are looked at; all: the installation as well
-- out: a row for each tenant, without marks of queues and workers; one without a tenant for the installation. The marks of problems change with the minute while something waits
-- owner: engine
-- for: admin
create or replace function jobplane.changes(p_tenant_ids uuid[], p_all boolean default false)
returns table (tenant_id uuid, jobs text, queues text, workers text, problems text)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  v_now    constant timestamptz := jobplane.clock();
  v_minute constant timestamptz := date_trunc('minute', v_now);
  v_served constant text[] := array(select distinct u.name from jobplane.workers w, unnest(w.queues) u(name)
                                     where w.worker_id > '' and w.last_seen_at > v_now - interval '60 s' order by 1);
begin
  return query
  select t.tenant_id, row(r.last, r.sum, h.last, h.sum, u.last, u.sum, l.mark, e.mark, a.last)::text, null, null,
         row(t.paused_at, e.dead, h.last, h.sum, q.mark, case when q.mark is not null then v_minute end)::text
    from unnest(p_tenant_ids[1:1000]) i(id),
         lateral (select t.tenant_id, t.paused_at from jobplane.tenants t where t.tenant_id = i.id offset 0) t,
         lateral (select max(x.seq) as last, sum(x.seq), array_agg(distinct x.queue_id) as queues
                    from (select r.seq, r.queue_id from jobplane.ready r where r.tenant_id = t.tenant_id order by r.tenant_id desc, r.seq desc limit 50) x) r,
         lateral (select max(x.seq) as last, sum(x.seq), array_agg(distinct x.queue_id) as queues
                    from (select h.seq, h.queue_id from jobplane.held h where h.tenant_id = t.tenant_id order by h.tenant_id desc, h.seq desc limit 50) x) h,
         lateral (select max(x.seq) as last, sum(x.seq) from (select u.seq from jobplane.upcoming u where u.tenant_id = t.tenant_id order by u.tenant_id desc, u.seq desc limit 50) x) u,
         lateral (select row(count(*), sum(x.seq * 7 + x.attempt_no), count(x.cancel_requested_at), sum((x.progress * 1000)::int), sum(hashtext(x.progress_message)))::text as mark
                    from (select l.seq, l.attempt_no, l.cancel_requested_at, l.progress, l.progress_message from jobplane.leases l
                           where l.tenant_id = t.tenant_id and l.attempt_no > 0 limit 2000) x) l,
         lateral (select string_agg(x.mark, '') as mark, max(x.mark) filter (where s.status = 'dead_letter') as dead
                    from unnest('{succeeded,failed,dead_letter,canceled}'::text[]) s(status),
                         lateral (select row(max(n.seq), sum(n.seq))::text as mark
                                    from (select e.seq from jobplane.endings e where e.tenant_id = t.tenant_id and e.status = s.status
                                           order by e.tenant_id desc, e.status desc, e.seq desc limit 50) n) x) e,
         lateral (select max(a.audit_id) as last from jobplane.audit_log a where a.tenant_id = t.tenant_id) a,
         lateral (select string_agg(row(q.queue_id, q.paused_at, q.name = any (v_served))::text, '' order by q.queue_id) as mark
                    from (select w.id from unnest(r.queues) w(id) union select w.id from unnest(h.queues) w(id)) w,
                         lateral (select q.queue_id, q.paused_at, q.name from jobplane.queues q where q.queue_id = w.id offset 0) q) q;
  if p_all then
    tenant_id := null;
    -- The counters of the hot tables show what the newest rows do not, up to ten seconds later: a session reports them when it is idle.
    jobs := row((select max(j.seq) from jobplane.jobs j), (select max(a.audit_id) from jobplane.audit_log a), (select max(a.seq) from jobplane.attempts a),
      (select row(count(*), sum(l.seq * 7 + l.attempt_no), count(l.cancel_requested_at), sum((l.progress * 1000)::int), sum(hashtext(l.progress_message)))::text
         from (select * from jobplane.leases l where l.seq > 0 order by l.seq desc limit 5000) l),
      (select sum(pg_stat_get_tuples_inserted(c.oid) + pg_stat_get_tuples_deleted(c.oid))
         from unnest('{ready,held,upcoming,leases,endings}'::text[]) n(name), lateral (select to_regclass('jobplane.' || n.name) as oid) c))::text;
    queues := row(jobs, (select row(count(*), count(q.paused_at), max(q.paused_at))::text from jobplane.queues q where q.name > ''))::text;
    workers := (select row(count(*), sum(hashtext(row(w.worker_id, w.started_at, w.draining, w.running_count, w.last_seen_at > v_now - interval '60 s')::text)))::text
                  from jobplane.workers w where w.worker_id > '');
    problems := row(queues, v_served, (select count(*) from jobplane.workers w where w.worker_id > '' and w.last_seen_at > v_now - interval '60 s'), v_minute)::text;
    return next;
  end if;
end $$;
