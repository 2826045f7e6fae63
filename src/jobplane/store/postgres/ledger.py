"""What a database says about itself: the server, the login, and the runner's own two tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from psycopg.rows import class_row

from jobplane.store.postgres import script
from jobplane.store.postgres.link import Connection

_SITE: Final = r"""
select session_user::text as login, current_database()::text as database, v.number / 10000 as major,
  current_setting('server_encoding') = 'UTF8' as is_utf8,
  array(select rolname::text from pg_roles where rolname like 'jobplane\_%') as roles,
  (select pg_get_userbyid(relowner)::text from pg_class
    where relnamespace = to_regnamespace('jobplane') and relname = 'installation') as installed_by,
  coalesce((select pg_has_role(session_user, oid, case when v.number >= 160000 then 'SET' else 'MEMBER' end)
    from pg_roles where rolname = 'jobplane_owner'), false) as may_become_owner,
  coalesce((select to_regnamespace('jobplane_locks') is not null
      or has_database_privilege(oid, current_database(), 'create')
    from pg_roles where rolname = 'jobplane_owner'), false) as owner_may_create,
  array(select c.relname::text from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace = to_regnamespace('jobplane') and not i.indisvalid order by 1) as invalid_indexes
from (select current_setting('server_version_num')::int) as v (number)
"""


@dataclass(frozen=True, slots=True)
class Site:
    """The server and the login; `installed_by` owns the runner's tables and is None where there are none."""

    login: str
    database: str
    major: int
    is_utf8: bool
    roles: list[str]
    installed_by: str | None
    may_become_owner: bool
    owner_may_create: bool
    invalid_indexes: list[str]


@dataclass(frozen=True, slots=True)
class Applied:
    number: int
    name: str
    checksum: str
    oldest_program: int


@dataclass(frozen=True, slots=True)
class _Installation:
    trust: str
    code_checksum: str | None


@dataclass(frozen=True, slots=True)
class Ledger:
    """What is installed; `trust` is None where nothing is."""

    trust: str | None = None
    code_checksum: str | None = None
    applied: dict[int, Applied] = field(default_factory=dict[int, Applied])

    @property
    def number(self) -> int:
        return max(self.applied, default=0)

    @property
    def oldest_program(self) -> int:
        return max((one.oldest_program for one in self.applied.values()), default=0)


def survey(conn: Connection) -> Site:
    with conn.cursor(row_factory=class_row(Site)) as cursor:
        [found] = cursor.execute(_SITE).fetchall()
    return found


def read(conn: Connection, site: Site) -> Ledger:
    """Read both tables, as the owner where the login may be it."""
    if site.installed_by is None:
        return Ledger()
    with conn.transaction():
        if site.installed_by == "jobplane_owner" and site.may_become_owner:
            conn.execute(script.AS_OWNER)
        return read_here(conn)


def read_here(conn: Connection) -> Ledger:
    """Read both tables with the role that the transaction has now."""
    with conn.cursor(row_factory=class_row(_Installation)) as cursor:
        row = cursor.execute("select trust, code_checksum from jobplane.installation").fetchone()
    with conn.cursor(row_factory=class_row(Applied)) as cursor:
        rows = cursor.execute("select number, name, checksum, oldest_program from jobplane.migrations").fetchall()
    applied = {one.number: one for one in rows}
    return Ledger(row.trust, row.code_checksum, applied) if row else Ledger(applied=applied)
