"""The connection that listens. It only speeds things up: whoever uses it polls as well."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Final

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.one import Line
from jobplane.store.postgres.settings import Settings

log = logging.getLogger("jobplane.store")

# A half-open connection says nothing: ask it, and do not wait long.
_PING_SECONDS: Final = 10.0
_PATIENCE_SECONDS: Final = 2.0
_PAUSES: Final = (0.1, 0.5, 1.0, 2.0, 5.0)
_DICE: Final = random.SystemRandom()


class PostgresEar:
    """Listens on a direct connection: a pooler in transaction mode would swallow what it hears."""

    def __init__(
        self,
        settings: Settings,
        *,
        role: Role = "worker",
        ping_seconds: float = _PING_SECONDS,
        patience_seconds: float = _PATIENCE_SECONDS,
    ) -> None:
        self._settings = settings
        self._url = settings.url(role)
        self._ping_seconds = ping_seconds
        self._patience = patience_seconds
        self._conn: Line | None = None
        self._closed = False
        self.on_lost: Callable[[Exception], None] | None = None

    async def wakes(self) -> AsyncGenerator[int | None]:
        """Until it is closed; a lost connection is made anew, with pauses that grow."""
        failures = 0
        while not self._closed:
            try:
                self._conn = await self._listening()
                failures = 0
                yield None
                while True:
                    async with aclosing(self._conn.notifies(timeout=self._ping_seconds)) as heard:
                        async for notify in heard:
                            if notify.payload.isdecimal():  # anybody may send on a channel
                                yield int(notify.payload)
                    await self._ping(self._conn)
            except Exception as error:  # noqa: BLE001 whatever it is, another connection may hear better
                if self._closed:
                    return
                log.debug("the connection that listens was lost: %s", error)
                if self.on_lost is not None:
                    self.on_lost(error)
            finally:
                await self._hang_up()
            await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)] * _DICE.uniform(0.5, 1.0))
            failures += 1

    async def close(self) -> None:
        self._closed = True
        await self._hang_up()

    async def _listening(self) -> Line:
        async with asyncio.timeout(self._settings.timeout_seconds):
            conn = await Line.connect(self._url, **self._settings.connection())
            try:
                await conn.execute("listen jobplane_wake")
            except BaseException:
                await conn.close()
                raise
            return conn

    async def _ping(self, conn: Line) -> None:
        async with asyncio.timeout(self._patience):
            await conn.execute("select 1")

    async def _hang_up(self) -> None:
        conn, self._conn = self._conn, None
        if conn is not None:
            await conn.close()
