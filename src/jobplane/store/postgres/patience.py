"""Waiting for locks without standing in anybody's way: short tries, pauses between them, an end."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeVar

import psycopg
from psycopg import errors as pg

from jobplane.core.errors import Forbidden, StorageFull, StoreBusy, StoreUnavailable
from jobplane.store.postgres import script
from jobplane.store.postgres.link import Connection
from jobplane.store.postgres.refusals import MigrationFailed

PATIENCE_SECONDS: Final = 60.0
_DICE: Final = random.SystemRandom()
# Any login of the database can hold the migrators' lock, by mistake or not: say who does.
_HOLDERS: Final = """
select string_agg(format('process %%s of %%s', a.pid, a.usename), ', ')
  from pg_locks l join pg_stat_activity a using (pid)
 where l.locktype = 'advisory' and l.granted and l.objsubid = 1 and (l.classid::bigint << 32) + l.objid::bigint = %s
   and l.database = (select oid from pg_database where datname = current_database())
"""
T = TypeVar("T")


class Elsewhere(Exception):
    """Another session is at it now."""


PASSING: Final = (Elsewhere, pg.LockNotAvailable, pg.DeadlockDetected, pg.SerializationFailure)


def take_turn(conn: Connection) -> None:
    """Be the only migrator until this transaction ends, or raise: a waiter's snapshot would hold up an index build."""
    row = conn.execute(f"select pg_try_advisory_xact_lock({script.LOCK})".encode()).fetchone()
    if row != (True,):
        held = conn.execute(_HOLDERS, [script.LOCK]).fetchone()
        holders = held[0] if held and held[0] else "it has just ended"
        raise Elsewhere(f"another migrator is at work ({holders})")


def retry(step: str, seconds: float, act: Callable[[], T]) -> T:
    """Repeat `act` while locks stand in its way; every try leaves nothing behind."""
    ends_at = time.monotonic() + seconds
    while True:
        try:
            return act()
        except PASSING as error:
            pause = _DICE.uniform(0.1, 1.0)
            if time.monotonic() + pause > ends_at:
                message = f"{step}: {_reason(error)}, for {seconds:g} s. Run the command again later."
                raise StoreBusy(message, step=step) from error
        time.sleep(pause)


@contextmanager
def explain_errors(step: str) -> Generator[None]:
    """Turn what the driver raises into an error that names the step."""
    try:
        yield
    except pg.DiskFull as error:
        raise StorageFull(f"{step}: {_reason(error)}. Make room, then run the command again.", step=step) from error
    except pg.InsufficientPrivilege as error:
        raise Forbidden(
            f"{step}: {_reason(error)}. Use a login that may, by `--url` or migrate_url.", step=step
        ) from error
    except psycopg.Error as error:
        if error.sqlstate is None or error.sqlstate[:2] in ("08", "57"):
            raise StoreUnavailable(f"{step}: {_reason(error)}. Run the command again.", step=step) from error
        raise MigrationFailed(f"{step}: {_reason(error)} ({_place(error)}).", step=step) from error


def _place(error: psycopg.Error) -> str:
    """The code of the error, and the function or line that the server names."""
    context = (error.diag.context or "").split("\n")[0]
    return f"{error.sqlstate}, {context}" if context and "inline_code_block" not in context else str(error.sqlstate)


def _reason(error: Exception) -> str:
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        return error.diag.message_primary.rstrip(".")
    return str(error).strip().splitlines()[0].rstrip(".")
