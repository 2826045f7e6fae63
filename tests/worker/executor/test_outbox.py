from __future__ import annotations

import asyncio
import sys
from collections.abc import Generator
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import orjson
import pytest

from jobplane.worker.executor import outbox
from jobplane.worker.executor.outbox import Outbox
from jobplane.worker.frames import FrameReader, Kind

if TYPE_CHECKING:
    from jobplane.worker.executor.assignment import Assignment

SAYERS = 8
TIMES = 3000


class Way:
    def __init__(self) -> None:
        self.shares: dict[int, float] = {}

    def write(self, data: bytes) -> None:
        for kind, body in FrameReader().feed(data):
            assert kind is Kind.SHARE
            self.shares |= {seq: share for seq, share, _ in orjson.loads(body)}


@pytest.fixture
def restless() -> Generator[None]:
    """Threads that take turns all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("restless")
async def test_the_last_word_of_every_thread_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_SHARE_SECONDS", 0.0)
    way = Way()
    box = Outbox(asyncio.get_running_loop(), way, "w")

    def say(seq: int) -> None:
        attempt = cast("Assignment", SimpleNamespace(seq=seq, is_closed=False))
        for time in range(TIMES):
            box.keep_progress(attempt, time / TIMES, "on its way")
        box.keep_progress(attempt, 1.0, None)

    await asyncio.gather(*(asyncio.to_thread(say, seq) for seq in range(SAYERS)))
    await asyncio.sleep(0.2)

    assert way.shares == dict.fromkeys(range(SAYERS), 1.0)
