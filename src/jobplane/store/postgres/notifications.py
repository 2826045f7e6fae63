"""The connection that listens. It only speeds things up: whoever uses it polls as well."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.one import WorkerConnection
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.wire import Wire

log = logging.getLogger("jobplane.store")

# A half-open connection says nothing: ask it, and do not wait long.
_PING_SECONDS: Final = 10.0
_PATIENCE_SECONDS: Final = 2.0
_PAUSES: Final = (0.1, 0.5, 1.0, 2.0, 5.0)
_DICE: Final = random.SystemRandom()
_CANCEL: Final = "cancel "
_KEPT_UP: Final = "upkeep"
_SCHEDULES: Final = "schedules"
_LONGEST_ID: Final = len(str(2**31 - 1))


class PostgresNotifications:
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
        self._wire: Wire | None = None
        self._woken: Callable[[int | None], None]
        self._canceled: Callable[[str], None]
        self._kept_up: Callable[[], None]
        self._closed = False
        self._heard_at = 0.0
        self.on_lost: Callable[[Exception], None] | None = None
        self.on_schedules: Callable[[], None] | None = None

    async def listen(
        self, woken: Callable[[int | None], None], canceled: Callable[[str], None], kept_up: Callable[[], None]
    ) -> None:
        """Listen until it is closed; replace a lost connection, with pauses that grow."""
        self._woken, self._canceled, self._kept_up = woken, canceled, kept_up
        failures = 0
        while not self._closed:
            try:
                self._wire = await self._start_listening()
                failures = 0
                woken(None)
                await self._stay(self._wire)
            except Exception as error:  # noqa: BLE001 whatever it is, another connection may hear better
                if self._closed:
                    return
                log.debug("The listening connection was lost: %s", error)
                if self.on_lost is not None:
                    self.on_lost(error)
            finally:
                await self._hang_up()
            await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)] * _DICE.uniform(0.5, 1.0))
            failures += 1

    async def close(self) -> None:
        self._closed = True
        await self._hang_up()

    async def _start_listening(self) -> Wire:
        async with asyncio.timeout(self._settings.timeout_seconds):
            conn = await WorkerConnection.connect(self._url, **self._settings.connection())
            wire = Wire(conn, prepares=False, heard=self._on_notification)
            try:
                await wire.rows("listen jobplane_wake")
            except BaseException:
                await wire.close()
                raise
            return wire

    def _on_notification(self, payload: str) -> None:
        self._heard_at = asyncio.get_running_loop().time()
        if payload.isdecimal() and len(payload) <= _LONGEST_ID:  # anybody may send on a channel
            self._woken(int(payload))
        elif payload.startswith(_CANCEL):
            self._canceled(payload.removeprefix(_CANCEL))
        elif payload == _KEPT_UP:
            self._kept_up()
        elif payload == _SCHEDULES and self.on_schedules is not None:
            self.on_schedules()

    async def _stay(self, wire: Wire) -> None:
        """Until the connection is lost, which raises. Whatever it hears shows that it is there."""
        loop = asyncio.get_running_loop()
        self._heard_at = loop.time()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._heard_at + self._ping_seconds):
                    await wire.lost.wait()
            if wire.lost.is_set() or self._heard_at + self._ping_seconds <= loop.time():
                async with asyncio.timeout(self._patience):
                    await wire.rows("select 1")
                self._heard_at = loop.time()

    async def _hang_up(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            await wire.close()
