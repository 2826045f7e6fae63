"""A plan as SQL: the next step for the runner, or all of them as one script for psql."""

from __future__ import annotations

from typing import Final

from jobplane.store.postgres import routines, script
from jobplane.store.postgres.plan import Plan
from jobplane.store.postgres.script import Outside, Trust
from jobplane.store.postgres.source import Migration, Source

# Any login of the database can hold this lock, so nobody waits for it.
_TURN: Final = """\
do $jobplane$
begin
  if not pg_try_advisory_xact_lock(<lock>) then
    raise exception 'Another migrator is at work. Make the script again later.' using errcode = '55P03';
  end if;
end $jobplane$;
"""
# psql runs each row of a \gexec as a statement of its own, outside transactions.
_BUILD: Final = """\
select 'drop index concurrently jobplane.<index>' from pg_index
where indexrelid = to_regclass('jobplane.<index>') and not indisvalid \\gexec
select $jobplane$<sql>$jobplane$ where to_regclass('jobplane.<index>') is null \\gexec
"""


def next_sql(source: Source, due: Plan, trust: Trust) -> str:
    """The first step that is due, to be run in one transaction after the prelude."""
    if due.ground:
        return script.ground(trust)
    if due.migrations:
        return script.migration(due.migrations[0], trust)
    return routines.code(source, trust)


def psql(source: Source, due: Plan, trust: Trust) -> str:
    """Everything that is due, for `psql -v ON_ERROR_STOP=1`; interrupted, a new one goes on from there."""
    parts = [f"-- jobplane: schema {due.found} to {due.wanted}, trust = {trust}; feed it to psql -v ON_ERROR_STOP=1\n"]
    parts += [_transaction(script.ground(trust))] if due.ground else []
    parts += [_migration(step, trust) for step in due.migrations]
    parts += [_transaction(routines.code(source, trust))] if due.code else []
    return "\n".join(parts)


def _migration(step: Migration, trust: Trust) -> str:
    if step.transactional:
        return _transaction(script.migration(step, trust))
    return "".join(_outside(statement) for statement in script.outside(step)) + _transaction(script.record(step, trust))


def _transaction(sql: str) -> str:
    turn = script.fill(_TURN, lock=str(script.LOCK))
    return f"begin;\n{script.PRELUDE}{turn}{sql}commit;\n"


def _outside(statement: Outside) -> str:
    if statement.index is None:
        return f"{statement.sql};\n"
    return _BUILD.replace("<index>", statement.index).replace("<sql>", statement.sql)
