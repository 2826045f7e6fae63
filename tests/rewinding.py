"""Takes back what a test has written to its database, so that the next one can have it.

A database of its own, with logins that connect and functions that are compiled anew, costs a test several times what
the test itself takes.
"""

from __future__ import annotations

from typing import Final

from tests.database import Database

# How much tables and indexes may grow: rows that are gone stay in the file, and statements walk over them.
MOST_BYTES: Final = 2 << 20

# Of the audit log nobody but its owner can take rows back, and of a sequence only the owner knows where it stood.
_FOR_THE_OWNER: Final = """
create schema if not exists testing;
grant usage, create on schema testing to jobplane_engine;
grant select, delete on jobplane.audit_log, jobplane.audit_chain to jobplane_owner;
create policy testing on jobplane.audit_log to jobplane_owner using (true);
create table testing.sequences as
  select name, coalesce(last_value, start_value) as at, last_value is not null as is_called
    from pg_sequences, lateral (select format('%I.%I', schemaname, sequencename)::regclass) s (name)
   where schemaname = 'jobplane' and has_sequence_privilege(name, 'update');
create function testing.rewind() returns void language sql security definer as $$
  delete from jobplane.audit_chain;
  delete from jobplane.audit_log;
  select setval(name, at, is_called) from testing.sequences;
$$;
"""
# Those that others refer to come last.
_TABLES: Final = """
select relname from pg_class c
 where relnamespace = 'jobplane'::regnamespace and relkind in ('r', 'p') and not relispartition
   and has_table_privilege(oid, 'delete')
 order by exists (select from pg_constraint where confrelid = c.oid), relname
"""
_SHAPE: Final = """
select array_agg(relname order by relname), sum(pg_relation_size(oid)) from pg_class
 where relnamespace = 'jobplane'::regnamespace and relkind in ('r', 'p', 'i')
"""


class Rewinder:
    """Knows what a database holds that no test has used."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.own(_FOR_THE_OWNER)
        tables = [table for (table,) in database.peek(_TABLES)]
        filled = [table for table in tables if database.peek(f"select 1 from jobplane.{table} limit 1")]
        for table in filled:
            database.peek(f"create table testing.{table} as table jobplane.{table}")
        back = [f"insert into jobplane.{table} overriding system value table testing.{table}" for table in filled]
        self._statements = ";".join(
            [*(f"delete from jobplane.{table}" for table in tables), *reversed(back), "select testing.rewind()"]
        )
        [(self._relations, self._bytes)] = database.peek(_SHAPE)
        database.is_changed = False

    def rewind(self) -> bool:
        """Whether it could: a schema that was changed stays changed, and a file that has grown stays long."""
        if self._database.is_changed:
            return False
        self._database.peek(self._statements)
        [(relations, size)] = self._database.peek(_SHAPE)
        return relations == self._relations and size - self._bytes < MOST_BYTES
