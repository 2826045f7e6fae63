"""Somebody who listens to the stream of changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Final

from tests.server.site import Answer, Voice

PATIENCE: Final = 30.0


async def until(probe: Callable[[], bool]) -> None:
    for _ in range(round(PATIENCE * 100)):
        if probe():
            return
        await asyncio.sleep(0.01)
    raise TimeoutError


class Ear:
    """What has been heard so far: the names of events, and `alive`."""

    def __init__(self, answer: Answer) -> None:
        self.heard: list[str] = []
        self.data: list[str] = []
        self._more = asyncio.Event()
        self._reading = asyncio.create_task(self._read(answer))

    async def _read(self, answer: Answer) -> None:
        async for line in answer.response.aiter_lines():
            field, _, text = line.partition(": ")
            if field == "data":
                self.data.append(text)
            elif line:
                self.heard.append(text)
                self._more.set()
        self.heard.append("over")
        self._more.set()

    @property
    def events(self) -> list[str]:
        return [name for name in self.heard if name != "alive"]

    async def hear(self, *names: str) -> None:
        """Wait until these have been heard after what was heard before; forget them, and what came with them."""
        async with asyncio.timeout(PATIENCE):
            while not set(names) <= set(self.heard):
                self._more.clear()
                await self._more.wait()
        self.heard.clear()

    async def settle(self) -> list[str]:
        """The events until after the next sign of life: whatever was told before now is among them."""
        before = self.heard.count("alive")
        async with asyncio.timeout(PATIENCE):
            while self.heard.count("alive") < before + 2:
                self._more.clear()
                await self._more.wait()
        return self.events

    async def end(self) -> None:
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)


@asynccontextmanager
async def listening(voice: Voice, topics: str | None = None) -> AsyncGenerator[Ear]:
    """A listener that has heard `reset`."""
    async with voice.open("/stream", None, **({} if topics is None else {"topics": topics})) as answer:
        assert answer.status == 200, answer.text
        assert answer.headers["content-type"].startswith("text/event-stream")
        ear = Ear(answer)
        try:
            await ear.hear("reset")
            yield ear
        finally:
            await ear.end()
