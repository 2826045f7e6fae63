"""The SQL text of each step: what the runner executes is what `--sql` prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from jobplane.store.postgres.refusals import InvalidSource
from jobplane.store.postgres.source import Migration, Source

Trust = Literal["roles", "single"]

LOCK: Final = int.from_bytes(b"jobplane", "big")
PRELUDE: Final = """\
set local lock_timeout = '2s';
set local statement_timeout = 0;
set local client_connection_check_interval = '1s';
set local client_min_messages = warning;
set local search_path = pg_catalog, jobplane, pg_temp;
"""
AS_OWNER: Final = "set local role jobplane_owner;\n"
_GROUND: Final = """\
do $jobplane$
begin
  if pg_catalog.to_regnamespace('jobplane') is null then
    create schema jobplane;
  end if;
end $jobplane$;
create table if not exists jobplane.migrations (
  number int primary key,
  name text not null,
  checksum text not null,
  oldest_program int not null,
  applied_at timestamptz not null default clock_timestamp(),
  applied_by text not null default session_user);
create table if not exists jobplane.installation (
  one boolean primary key default true check (one),
  code_checksum text,
  trust text not null);
insert into jobplane.installation (trust) values ('<trust>') on conflict do nothing;
"""
_RECORD: Final = """\
insert into jobplane.migrations (number, name, checksum, oldest_program)
values (<number>, '<name>', '<checksum>', <oldest>);
"""
_MAY_CREATE: Final = """
do $jobplane$
begin
  if (select pg_has_role(datdba, 'usage') from pg_catalog.pg_database where datname = current_database()) then
    execute pg_catalog.format('grant create on database %I to jobplane_owner', current_database());
  end if;
end $jobplane$;
"""
_CONCURRENTLY = re.compile(
    r"create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\s+jobplane\.", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Outside:
    """A statement outside transactions; `index` is what it builds. One that builds none must bear to be repeated."""

    sql: str
    index: str | None


def roles(source: Source, grants: Iterable[tuple[str, str]]) -> str:
    """The cluster's roles, the right to make the schema in this database, and the memberships (ours, theirs)."""
    members = [f"grant jobplane_{ours} to {_quote(theirs)};\n" for ours, theirs in grants]
    return "".join([source.roles.rstrip(), "\n", _MAY_CREATE, *members])


def become(trust: Trust) -> str:
    """Who does the rest of the transaction; nothing of it stays on the session."""
    return AS_OWNER if trust == "roles" else ""


def ground(trust: Trust) -> str:
    """The schema and the runner's own two tables."""
    return become(trust) + fill(_GROUND, trust=trust)


def migration(step: Migration, trust: Trust) -> str:
    return f"{become(trust)}{step.sql.rstrip()}\n{record(step, trust)}"


def record(step: Migration, trust: Trust) -> str:
    numbers = {"number": str(step.number), "oldest": str(step.oldest_program)}
    return become(trust) + fill(_RECORD, name=step.name, checksum=step.checksum, **numbers)


def outside(step: Migration) -> list[Outside]:
    """The statements of a `no-transaction` migration, split at each semicolon that ends a line."""
    sql = re.sub(r"--.*$", "", step.sql, flags=re.MULTILINE)
    if "$" in sql:
        raise InvalidSource(f"{step.name}: outside transactions there is no dollar quoting.", step=step.name)
    statements = [part.strip() for part in re.split(r";\s*(?:\n|$)", sql)]
    return [Outside(part, _index(part)) for part in statements if part]


def fill(template: str, **values: str) -> str:
    """Put each value in the place of its `<name>`."""
    for name, value in values.items():
        template = template.replace(f"<{name}>", value)
    return template


def _quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _index(statement: str) -> str | None:
    found = _CONCURRENTLY.match(statement)
    return found[1].lower() if found else None
