-- tidy: remove limit rows that nothing uses, workers that were not seen for a day, replies older than a day, and sessions and links that have expired, a thousand of each at most; make blocks of logs for the next two million jobs;
-- bring back a deleted queue that has got a job after all, from a transaction at REPEATABLE READ that still saw it
-- out: how many rows went
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.tidy() returns int
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
declare
  v_limits  int;
  v_workers int;
  v_replies int;
  v_signed  int;
  v_links   int;
  v_newest  constant bigint := coalesce(pg_sequence_last_value('jobplane.jobs_seq_seq'), 0);
  v_ahead   constant bigint[] := array[v_newest, v_newest + 1000000, v_newest + 2000000];
begin
  if exists (select from unnest(v_ahead) s where to_regclass('jobplane.logs_' || s / 1000000) is null) then
    perform jobplane.make_log_blocks(v_ahead);
  end if;
  delete from jobplane.limits l where l.ctid = any (array(
    select x.ctid from jobplane.limits x where x.used = 0 and not x.waiting limit 1000 for update skip locked)) and l.used = 0 and not l.waiting;
  get diagnostics v_limits = row_count;
  delete from jobplane.workers w where w.ctid = any (array(
    select x.ctid from jobplane.workers x where x.last_seen_at < jobplane.clock() - interval '1 day' limit 1000 for update skip locked));
  get diagnostics v_workers = row_count;
  delete from jobplane.replies r where r.ctid = any (array(
    select x.ctid from jobplane.replies x where x.created_at < jobplane.clock() - interval '1 day' order by x.created_at limit 1000 for update skip locked));
  get diagnostics v_replies = row_count;
  delete from jobplane.sessions s where s.ctid = any (array(
    select x.ctid from jobplane.sessions x where x.idle_until <= jobplane.clock() order by x.idle_until limit 1000 for update skip locked));
  get diagnostics v_signed = row_count;
  delete from jobplane.session_links l where l.ctid = any (array(
    select x.ctid from jobplane.session_links x where x.expires_at <= jobplane.clock() order by x.expires_at limit 1000 for update skip locked));
  get diagnostics v_links = row_count;
  perform jobplane.restore_queues(array(
    select d.name from jobplane.deleted_queues d where exists (select from jobplane.ready r where r.queue_id = d.queue_id and r.seq > 0)));
  return v_limits + v_workers + v_replies + v_signed + v_links;
end $$;
