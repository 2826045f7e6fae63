"""The first check of a login, without the pool, which would report a failure only after its whole timeout."""

from __future__ import annotations

import asyncio
import logging
from time import monotonic

import psycopg

from jobplane.core.errors import StoreUnavailable
from jobplane.store.postgres import startup
from jobplane.store.postgres.bounded import BoundedAsyncConnection, BoundedConnection, Unanswered
from jobplane.store.postgres.errors import translate_errors
from jobplane.store.postgres.link import read_url
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.unreachable import unreachable

log = logging.getLogger("jobplane.store")


def probe(settings: Settings, url: str, ends_at: float) -> None:
    """Raise at once if the server cannot be reached or may not be used; log the warnings of each start."""
    target = read_url(url, options=settings.options, seconds=ends_at - monotonic())
    try:
        conn = BoundedConnection.connect(target, autocommit=True, prepare_threshold=None)
    except psycopg.OperationalError as error:
        raise unreachable(error) from None
    with translate_errors(), conn:
        conn.ends_at = ends_at
        try:
            _warn(startup.check(conn, **settings.checks()))
        except Unanswered:
            raise not_sent(settings.deadline_seconds) from None


async def probe_async(settings: Settings, url: str, ends_at: float) -> None:
    """The same on an event loop, and in no thread: `asyncio.run` would wait for one at its end."""
    target = read_url(url, options=settings.options, seconds=ends_at - monotonic())
    try:
        async with asyncio.timeout(ends_at - monotonic()):
            await _check(settings, target)
    except psycopg.OperationalError as error:
        raise unreachable(error) from None
    except TimeoutError:
        raise not_sent(settings.deadline_seconds) from None


async def _check(settings: Settings, target: str) -> None:
    conn = await BoundedAsyncConnection.connect(target, autocommit=True, prepare_threshold=None)
    try:
        with translate_errors():
            _warn(await startup.check_async(conn, **settings.checks()))
    finally:
        await conn.close()


def _warn(sentences: list[str]) -> None:
    for sentence in sentences:
        log.warning(sentence)


def not_sent(seconds: float) -> StoreUnavailable:
    """The server said nothing before there was anything to send."""
    return StoreUnavailable(
        f"The database did not answer within {seconds:.3g} s. The call was not sent. Try it again.",
        outcome="not_sent",
    )
