"""`cleanup.expired_rows`: a system job that deletes expired rows of tables that the operator has named."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final

from jobplane.api.jobplane import Jobplane
from jobplane.config import Config
from jobplane.core.errors import Invalid, StoreUnavailable
from jobplane.execution.context import Context
from jobplane.execution.exceptions import Fail

EXPIRED_ROWS: Final = "cleanup.expired_rows"
BATCH: Final = 1000
_PAUSE_SECONDS: Final = 0.05
_ANSWER_SECONDS: Final = 60.0  # for a batch: it waits for rows that the application has locked
_CONNECTION: Final[dict[str, Any]] = {"connect_timeout": 10, "keepalives_idle": 5, "tcp_user_timeout": 10_000}


@dataclass(frozen=True, slots=True)
class Expired:
    """Rows whose time in this column is older than a number of seconds. `table` is schema.table."""

    table: str
    column: str
    older_than_seconds: int

    @property
    def name(self) -> str:
        return f"{self.table}.{self.column}"


def define(jp: Jobplane, config: Config) -> None:
    """Only where the tables and a login for them are configured."""
    url, allowed = config.cleanup_url, frozenset(config.cleanup_tables)
    if not (url and allowed):
        return
    if not url.startswith("postgres"):
        raise Invalid("The setting cleanup_url must be a PostgreSQL URL.", setting="cleanup_url")

    @jp.job(EXPIRED_ROWS, queue="system", timeout_seconds=3600, description="Delete expired rows of allowed tables.")
    async def expired_rows(ctx: Context, tables: list[Expired]) -> dict[str, int]:
        judge(tables, allowed)
        deleted: dict[str, int] = {}
        for expired in tables:
            rows = await delete(ctx, url, expired)
            deleted[expired.name] = deleted.get(expired.name, 0) + rows
            ctx.log.info("Deleted expired rows.", table=expired.name, rows=rows)
        return deleted


def judge(tables: Sequence[Expired], allowed: frozenset[str]) -> None:
    """Raise Fail where a table is not one that the operator has named."""
    for expired in tables:
        if expired.name not in allowed:
            raise Fail(f"{expired.name} is not in cleanup_tables. Add it to that setting, or leave it out.")
        if expired.older_than_seconds < 0:
            raise Fail(f"The older_than_seconds of {expired.name} must be 0 or more, not {expired.older_than_seconds}.")


async def delete(ctx: Context, url: str, expired: Expired) -> int:
    """In batches, each in a transaction of its own, until none is left."""
    import psycopg
    from psycopg import sql

    schema, table = expired.table.split(".")
    statement = sql.SQL(
        "delete from {table} where ctid = any (array("
        "select ctid from {table} where {column} < now() - make_interval(secs => %s) limit %s))"
    ).format(table=sql.Identifier(schema, table), column=sql.Identifier(expired.column))
    total = 0
    async with await psycopg.AsyncConnection.connect(url, autocommit=True, **_CONNECTION) as conn:
        while True:
            await ctx.checkpoint()
            async with _deadline(expired):
                cursor = await conn.execute(statement, (expired.older_than_seconds, BATCH))
            total += cursor.rowcount
            if cursor.rowcount < BATCH:
                return total
            await asyncio.sleep(_PAUSE_SECONDS)


@asynccontextmanager
async def _deadline(expired: Expired) -> AsyncGenerator[None]:
    """The job fails and is tried again where the database does not answer."""
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            yield
    except TimeoutError:
        raise StoreUnavailable(
            f"The database of cleanup_url did not delete a batch of {expired.table} within {_ANSWER_SECONDS:g} s."
            " Check for locks on the table, and for an index on the column."
        ) from None
