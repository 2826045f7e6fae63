"""What there is to attack, from the catalog, so that a new table or function is attacked as soon as it is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tests.database import Database

# A tenant's, and the engine's all the same: row security would keep the filter of a search from being served by an
# index, and explanations and problems look at limits and workers, which are not the tenants'.
ENGINE_DOORS: Final = {"explain", "search_logs", "tenant_problems"}
LOGINS: Final = ("app", "worker", "scheduler", "admin", "maintenance")

_FUNCTIONS: Final = """
select p.oid::int, p.proname::text, pg_get_userbyid(p.proowner)::text, p.prosecdef, p.pronargdefaults::int,
       coalesce(p.proargnames[1:p.pronargs], '{}')::text[],
       array(select format_type(t, null) from unnest(p.proargtypes) with ordinality u(t, ord) order by ord)::text[]
  from pg_proc p where p.pronamespace = 'jobplane'::regnamespace order by p.proname, p.oid"""
_TABLES: Final = """
select c.relname::text, pg_get_userbyid(c.relowner)::text, bool_or(a.attname = 'tenant_id'),
       array_agg(a.attname::text order by a.attnum)
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relnamespace = 'jobplane'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') group by c.oid order by 1"""
_MAY_EXECUTE: Final = """
select oid::int from pg_proc
 where pronamespace = 'jobplane'::regnamespace and has_function_privilege(%s, oid, 'execute')"""
_MAY_READ: Final = """
select c.relname::text, array_agg(a.attname::text order by a.attnum)
  from pg_class c join pg_attribute a on a.attrelid = c.oid
 where c.relnamespace = 'jobplane'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0
   and not a.attisdropped and has_column_privilege(%s, c.oid, a.attnum, 'select') group by 1"""


@dataclass(frozen=True, slots=True)
class Function:
    oid: int
    name: str
    owner: str
    is_definer: bool
    defaults: int
    names: list[str]
    types: list[str]

    @property
    def is_door(self) -> bool:
        return self.owner == "jobplane_doors" or self.name in ENGINE_DOORS


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    owner: str
    has_tenant: bool
    columns: list[str]


def functions(db: Database) -> list[Function]:
    return [Function(*row) for row in db.peek(_FUNCTIONS)]


def tables(db: Database) -> list[Table]:
    return [Table(*row) for row in db.peek(_TABLES)]


def may_execute(db: Database, login: str) -> set[int]:
    return {row[0] for row in db.peek(_MAY_EXECUTE, f"jobplane_{login}")}


def may_read(db: Database, login: str) -> dict[str, list[str]]:
    """The columns of each table that a login may read."""
    return dict(db.peek(_MAY_READ, f"jobplane_{login}"))
