-- database_facts: how large the database is, how many connections it has, and what each table of jobplane holds
-- out: a first row without a table: version of SQLite, number of the schema, sizes, and how the file is journaled. Then a row for each table, with its rows counted up to 1,000,000; what a
--      table's pages take is not known, and a file has no connections to count

-- statement: file
select sqlite_version(), (select max(number) from jobplane_migrations), (select page_count from pragma_page_count) * (select page_size from pragma_page_size),
       (select file from pragma_database_list where name = 'main'), (select journal_mode from pragma_journal_mode)

-- statement: tables
select name from sqlite_master where type = 'table' and name like 'jobplane\_%' escape '\' and name not like 'jobplane\_log\_words%' escape '\' order by name

-- statement: count
select count(*) from (select 1 from {table} limit 1000000)
