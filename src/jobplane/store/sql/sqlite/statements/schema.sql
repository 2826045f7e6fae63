-- schema: which migrations a file has

-- statement: there
select 1 from sqlite_master where type = 'table' and name = 'jobplane_migrations'

-- statement: ledger
create table jobplane_migrations (number integer primary key, name text not null, applied_at integer not null) strict

-- statement: applied
select coalesce(max(number), 0) from jobplane_migrations

-- statement: record
insert into jobplane_migrations (number, name, applied_at) values (?, ?, ?)

-- statement: words
select 1 from pragma_module_list where name = 'fts5'

-- statement: index
select 1 from sqlite_master where name = 'jobplane_log_words'
