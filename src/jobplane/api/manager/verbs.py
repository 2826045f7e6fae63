"""How the manager waits between two calls."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Pause(Protocol):
    """How to wait for some seconds."""

    async def __call__(self, seconds: float) -> None: ...


async def wait(seconds: float) -> None:
    await asyncio.sleep(seconds)
