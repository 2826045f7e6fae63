"""The start-up check: is this server, this login and this schema one that a program may serve from?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

import psycopg
from psycopg.rows import class_row

from jobplane.core.errors import Forbidden, SchemaOutOfDate, UnsafeRole, UnsupportedServer
from jobplane.store.postgres.refusals import TrustMismatch, UnsafeDurability, require_utf8
from jobplane.store.postgres.script import Trust

SUPPORTED: Final = range(15, 19)
_PATCHED: Final = {15: 14, 16: 10, 17: 6}
SINGLE: Final = "trust = 'single': one role owns and does everything, so the database does not keep tenants apart."

Row = TypeVar("Row")

_LOGIN: Final = r"""
select session_user::text as login, current_setting('server_version_num')::int as server,
  current_setting('server_encoding') = 'UTF8' as is_utf8,
  (select bool_or(rolsuper) from pg_roles where rolname in (session_user, current_user)) as superuser,
  (select bool_or(rolbypassrls) from pg_roles where rolname in (session_user, current_user)) as bypasses,
  array(select rolname::text from pg_roles
    where (rolname in ('jobplane_owner', 'jobplane_doors', 'jobplane_engine')
        or oid in (
          select relowner from pg_class where relnamespace = to_regnamespace('jobplane') and relkind in ('r', 'p')))
      and pg_has_role(session_user, oid, 'member')
    order by 1) as powers,
  coalesce((select pg_has_role(session_user, oid, 'member')
    from pg_roles where rolname = 'jobplane_maintenance'), false) as maintains,
  array(select name from pg_settings
    where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by 1) as forgetful,
  exists (
    select from pg_class where relnamespace = to_regnamespace('jobplane') and relname = 'installation') as installed,
  exists (
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'jobplane' and c.relname = 'installation'
      and has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')) as readable,
  exists (
    select from pg_roles
    where rolname in ('jobplane_app', 'jobplane_worker', 'jobplane_scheduler', 'jobplane_admin', 'jobplane_maintenance')
      and pg_has_role(oid, 'usage')) as member
"""
_SCHEMA: Final = """
select max(trust) as trust, coalesce(max(number), 0) as number, coalesce(max(oldest_program), 0) as oldest_program
from jobplane.installation left join jobplane.migrations on true
"""


@dataclass(frozen=True, slots=True)
class Login:
    """The server and who is logged in; `powers` are the owning roles that the login is a member of."""

    login: str
    server: int
    is_utf8: bool
    superuser: bool
    bypasses: bool
    powers: list[str]
    maintains: bool
    forgetful: list[str]
    installed: bool
    readable: bool
    member: bool


@dataclass(frozen=True, slots=True)
class Schema:
    """What is installed, as far as this login can see."""

    trust: str | None = None
    number: int = 0
    oldest_program: int = 0


def check(
    conn: psycopg.Connection[Row], *, wanted: int, trust: Trust = "roles", allow_unsafe_durability: bool = False
) -> list[str]:
    """Refuse to start, or return what is to be logged at every start; `wanted` is the program's schema number."""
    [login] = conn.cursor(row_factory=class_row(Login)).execute(_LOGIN).fetchall()
    schema = Schema()
    if login.readable:
        [schema] = conn.cursor(row_factory=class_row(Schema)).execute(_SCHEMA).fetchall()
    return judge(login, schema, wanted=wanted, trust=trust, allow_unsafe_durability=allow_unsafe_durability)


async def check_async(
    conn: psycopg.AsyncConnection[Row], *, wanted: int, trust: Trust = "roles", allow_unsafe_durability: bool = False
) -> list[str]:
    """The same on an event loop, where it can be given up."""
    [login] = await (await conn.cursor(row_factory=class_row(Login)).execute(_LOGIN)).fetchall()
    schema = Schema()
    if login.readable:
        [schema] = await (await conn.cursor(row_factory=class_row(Schema)).execute(_SCHEMA)).fetchall()
    return judge(login, schema, wanted=wanted, trust=trust, allow_unsafe_durability=allow_unsafe_durability)


def judge(
    login: Login, schema: Schema, *, wanted: int, trust: Trust, allow_unsafe_durability: bool = False
) -> list[str]:
    """The judgement alone, over facts that were fetched before."""
    said = _judge_server(login)
    require_utf8(is_utf8=login.is_utf8)
    said += _judge_durability(login, allowed=allow_unsafe_durability)
    if trust == "roles":
        _judge_role(login)
    else:
        said.append(SINGLE)
    _require_admitted(login, trust)
    _require_fitting(schema, wanted)
    _require_same_trust(schema, trust)
    return said


def _judge_server(login: Login) -> list[str]:
    major, minor = divmod(login.server, 10000)
    if major < SUPPORTED.start:
        message = f"This is PostgreSQL {major}, but jobplane needs {SUPPORTED.start} or newer."
        raise UnsupportedServer(message, found=major)
    if major >= SUPPORTED.stop:
        return [f"PostgreSQL {major} is newer than {SUPPORTED.stop - 1}, the newest that jobplane is tested with."]
    if minor < _PATCHED.get(major, 0):
        fixed = f"{major}.{_PATCHED[major]}"
        return [
            f"PostgreSQL {major}.{minor} has a known hole in row-level security (CVE-2025-8713). Update to {fixed}."
        ]
    return []


def _judge_durability(login: Login, *, allowed: bool) -> list[str]:
    if not login.forgetful:
        return []
    settings = ", ".join(f"{name} = off" for name in login.forgetful)
    if allowed:
        return [f"{settings}: a crash of the server may lose jobs that it has acknowledged."]
    message = f"The server runs with {settings}, so a crash may lose acknowledged jobs."
    raise UnsafeDurability(f"{message} Switch it on, or set allow_unsafe_durability.", settings=login.forgetful)


def _judge_role(login: Login) -> None:
    if login.superuser:
        fault = "is a superuser"
    elif login.bypasses:
        fault = "has BYPASSRLS"
    elif powers := [power for power in login.powers if not (power == "jobplane_hot" and _may_be_hot(login))]:
        fault = f"is, or is a member of, {powers[0]}"
    else:
        return
    raise UnsafeRole(
        f"{login.login} {fault}, and would see every tenant. Log in as one of the roles that"
        ' `jobplane migrate roles` creates, or set trust = "single" to use one role for everything.',
        role=login.login,
    )


def _may_be_hot(login: Login) -> bool:
    """Without the MAINTAIN privilege of 17, only an owner may vacuum."""
    return login.maintains and login.server < 170000


def _require_admitted(login: Login, trust: Trust) -> None:
    if login.installed and not (login.readable and (login.member or trust == "single")):
        raise Forbidden(f"{login.login} may not use the schema jobplane.", login=login.login)


def _require_fitting(schema: Schema, wanted: int) -> None:
    if schema.number < wanted:
        message = (
            f"The database's schema is {schema.number} and this program needs {wanted}. Run `jobplane migrate up`."
        )
        raise SchemaOutOfDate(message, found=schema.number, wanted=wanted)
    if wanted < schema.oldest_program:
        message = f"The database's schema is {schema.number}, too new for this program ({wanted})."
        raise SchemaOutOfDate(f"{message} Install a newer jobplane.", found=schema.number, wanted=wanted)


def _require_same_trust(schema: Schema, trust: Trust) -> None:
    if schema.trust not in (None, trust):
        raise TrustMismatch(
            f'The database was set up with trust = "{schema.trust}" and this program with "{trust}".'
            f' Set trust = "{schema.trust}".',
            found=schema.trust,
            wanted=trust,
        )
