-- held_snapshots: who keeps vacuum from removing dead rows: sessions with an old snapshot or an open transaction, prepared transactions, replication slots
-- Only what is older than a snapshot of now counts. A transaction that has written counts in any database, because every snapshot reaches back to it. PostgreSQL
-- hides from other logins when a transaction began: call it again, and what has the same xmin is still the same. Of sessions with the same login and xmin,
-- as the processes of one parallel query have, the lowest pid is named.
-- out: kind: session | prepared | slot, pid (of a session), login (of a session or a prepared transaction), name (of the others), xmin (or the transaction's own id)
-- owner: engine
-- for: worker, scheduler
create or replace function jobplane.held_snapshots() returns table (kind text, pid int, login text, name text, xmin text)
language sql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
  with now as materialized (select age(pg_snapshot_xmin(pg_current_snapshot())::xid) as age),
  sessions as (
    select a.pid, a.usename, x.xid from pg_stat_activity a, now, lateral (
             select coalesce(a.backend_xid, case when age(a.backend_xmin) > now.age and (a.datid is null or a.datname = current_database()) then a.backend_xmin end)) x(xid)
     where a.usesysid is not null and a.pid <> pg_backend_pid() and x.xid is not null
       and not exists (select from pg_stat_progress_vacuum v where v.pid = a.pid))
  select 'session', min(s.pid), s.usename::text, null, s.xid::text from sessions s group by s.usename, s.xid::text
  union all
  select 'prepared', null, p.owner::text, p.gid, p.transaction::text from pg_prepared_xacts p
  union all
  select 'slot', null, null, r.slot_name::text, r.xmin::text from pg_replication_slots r, now where age(r.xmin) > now.age
$$;
