"""A program's Jobplane on the database of a test."""

from __future__ import annotations

import asyncio
from functools import cached_property
from typing import Final

from jobplane import opening
from jobplane.api.stores import Closes, ClosesAsync, Stores
from jobplane.config import Config
from jobplane.execution.secret_sources import SecretSource
from jobplane.store.base import Driver
from jobplane.testing.given_secrets import GivenSecrets

_ENDS_WITHIN: Final = 10.0


class HostedStores(Stores):
    """Opens what the test says, whatever URL the program has."""

    def __init__(self, config: Config, driver: Driver, time: opening.Time) -> None:
        super().__init__(config.database_url, driver, None, None)
        self._chosen = config
        self.secrets: dict[str, str] = {}
        self._time = time

    @cached_property
    def _config(self) -> Config:
        return self._chosen

    @cached_property
    def secret_source(self) -> SecretSource:
        """The secrets that the test gives."""
        return GivenSecrets(self.secrets)

    @property
    def has_one_owner(self) -> bool:
        """Definitions reach a test's database by themselves, whoever owns that of production."""
        return True

    def _open(self) -> Closes:
        return opening.open_blocking(self._chosen, self._sqlite, **self._time)

    async def _connect(self) -> ClosesAsync:
        return await opening.open_async(self._chosen, self._sqlite, **self._time)

    def end(self) -> None:
        """Close what the test has left open, on event loops too if these are still there."""
        for loop, task in list(self._by_loop.items()):
            if not loop.is_running() and not loop.is_closed() and not task.cancelled():
                loop.run_until_complete(asyncio.wait_for(_close(task), _ENDS_WITHIN))
        self._abandon_closed()
        self._by_loop.clear()
        self.close()


async def _close(opening: asyncio.Task[ClosesAsync]) -> None:
    await (await opening).close()
