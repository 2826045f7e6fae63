"""Takes back what a test has written to its database, so that the next one can have it.

A database of its own, with logins that connect and functions that are compiled anew, costs a test several times what
the test itself takes.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import Final

from tests.database import Cluster, Database

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
# Where a schema is written down: a row that is new or gone is a change, whoever made it.
_CATALOGS: Final = (
    "attrdef", "attribute", "class", "constraint", "default_acl", "event_trigger", "extension", "index", "namespace",
    "policy", "proc", "rewrite", "sequence", "trigger", "type",
)  # fmt: skip
_ROWS: Final = " union all ".join(f"select count(*), max(xmin::text::bigint) from pg_{name}" for name in _CATALOGS)
_SHAPE: Final = f"""
select array(select concat(count, ' ', max) from ({_ROWS}) c)
       || array(select setconfig::text from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
                 where d.datname = current_database())
       || sum(reltuples)::text, -- an estimate that changes plans
       sum(pg_relation_size(oid)) from pg_class
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
        [(self._schema, self._bytes)] = database.peek(_SHAPE)
        database.is_changed = False

    def rewind(self) -> bool:
        """Whether it could: a schema that was changed stays changed, and a file that has grown stays long."""
        if self._database.is_changed:
            return False
        self._database.peek(self._statements)
        [(schema, size)] = self._database.peek(_SHAPE)
        return schema == self._schema and size - self._bytes < MOST_BYTES


class Shelf:
    """Databases of a process's tests: who asks for one gets one that another has used, as if nobody had."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._stack = ExitStack()
        self._free: dict[str, tuple[Database, Rewinder]] = {}

    @contextmanager
    def lent(self, template: str) -> Generator[Database]:
        """A database of this template, for one test; with whoever it has left connected, what it wrote is gone."""
        database, rewinder = self._free.pop(template, None) or self._make(template)
        try:
            yield database
        finally:
            database.disconnect()
            if rewinder.rewind():
                self._free[template] = database, rewinder
            else:
                self._cluster.drop(database.name)

    def _make(self, template: str) -> tuple[Database, Rewinder]:
        database = self._stack.enter_context(self._cluster.fresh(template))
        return database, Rewinder(database)

    def close(self) -> None:
        self._stack.close()
