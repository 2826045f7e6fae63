-- database_facts: how large the database is, how many connections it has, and what each table of jobplane holds
-- out: a first row without a table: version of the server, number of the schema, sizes, connections to the whole server, and the age of the oldest transaction that this role may see: of all
--      of them where jobplane_engine has pg_read_all_stats, else null. Then a row for each table, the largest first; the blocks of a partitioned one are one table
-- owner: engine
-- for: admin
create or replace function jobplane.database_facts()
returns table (version text, schema_found int, database_bytes bigint, connections_used int, connections_most int, oldest_transaction_seconds double precision,
               name text, rows_estimate bigint, size_bytes bigint, dead_rows bigint, last_vacuum_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, jobplane, pg_temp as $$
#variable_conflict use_column
begin
  version := split_part(current_setting('server_version'), ' ', 1);
  schema_found := (select max(m.number) from jobplane.migrations m);
  if has_database_privilege(current_database(), 'connect') or pg_has_role('pg_read_all_stats', 'usage') then
    database_bytes := pg_database_size(current_database());
  end if;
  connections_used := (select sum(d.numbackends) from pg_stat_database d where d.datid <> 0);
  connections_most := current_setting('max_connections');
  oldest_transaction_seconds := (select extract(epoch from clock_timestamp() - min(a.xact_start)) from pg_stat_activity a where a.pid <> pg_backend_pid() and a.usesysid is not null);
  return next;
  return query
  select null, null::int, null::bigint, null::int, null::int, null::double precision, t.name, t.rows, t.bytes, t.dead, t.vacuumed_at
    from (select coalesce(p.relname, c.relname)::text as name, sum(case when c.reltuples < 0 then coalesce(s.n_live_tup, 0) else c.reltuples end)::bigint as rows,
                 sum(pg_total_relation_size(c.oid))::bigint as bytes, sum(coalesce(s.n_dead_tup, 0))::bigint as dead, max(greatest(s.last_vacuum, s.last_autovacuum)) as vacuumed_at
            from pg_class c
            left join pg_stat_all_tables s on s.relid = c.oid
            left join pg_inherits i on i.inhrelid = c.oid
            left join pg_class p on p.oid = i.inhparent
           where c.relnamespace = 'jobplane'::regnamespace and c.relkind = 'r'
           group by 1) t
   order by t.bytes desc, t.name;
end $$;
