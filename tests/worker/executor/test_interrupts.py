"""The exception of a deadline is raised in the handler whose deadline it is, and in no other job of its thread."""

from __future__ import annotations

import asyncio
import logging
import random
import sys
import threading
from collections.abc import Callable, Generator
from contextvars import copy_context
from itertools import count
from typing import Final

import pytest

from jobplane.core.leases import SUCCEEDED, Ending
from jobplane.core.model import Outcome
from jobplane.worker.executor import interrupts
from jobplane.worker.executor.assignment import Assignment
from jobplane.worker.executor.threads import HandlerThreads
from tests.worker.executor.driver import row

pytestmark = pytest.mark.anyio

ROUNDS: Final = 5_000
SECONDS: Final = 30
IS_SAFE: Final = "jobplane.worker.executor.interrupts._is_safe"


@pytest.fixture(autouse=True)
def hasty() -> Generator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


class Bench:
    """One thread for handlers: those with an odd seq have a deadline, the others must notice nothing of it."""

    def __init__(self, handler: Callable[[], None], other: Callable[[], None]) -> None:
        self.handler, self.other = handler, other
        self.seen: list[BaseException] = []
        self.outcomes: list[Outcome] = []
        self._seqs = count(1)
        self._over = asyncio.Event()
        self._threads = HandlerThreads(asyncio.get_running_loop(), 1, copy_context(), self._call, self._on_ended)

    def _call(self, attempt: Assignment) -> Ending:
        if attempt.stop is not None:  # as the runner does
            return Ending(Outcome.TIMEOUT)
        try:
            (self.handler if attempt.seq % 2 else self.other)()
        except BaseException as error:  # noqa: BLE001 as the runner does
            if attempt.seq % 2 == 0:
                self.seen.append(error)
            return Ending(Outcome.TIMEOUT)
        return SUCCEEDED

    def _on_ended(self, attempt: Assignment, ending: Ending) -> None:
        if attempt.seq % 2:
            self.outcomes.append(ending.outcome)
        else:
            self._over.set()

    def give_two(self) -> Assignment:
        """A handler with a deadline, and another job behind it on the same thread; returns the first."""
        near, after = (Assignment(row(next(self._seqs), "any", timeout=1)) for _ in range(2))
        self._over.clear()
        self._threads.give(near)
        self._threads.busy += 1
        self._threads._given.put(after)  # pyright: ignore[reportPrivateUsage] not by `give`, which starts a thread
        return near

    async def ended(self) -> None:
        async with asyncio.timeout(SECONDS):
            await self._over.wait()


def interrupt(attempt: Assignment) -> None:
    attempt.stop = "timeout"
    assert interrupts.interrupt(attempt)


def spin(times: int) -> None:
    for _ in range(times):
        pass


async def test_the_next_job_never_sees_it_however_close_to_its_deadline_a_handler_ends() -> None:
    dice = random.Random(7)
    bench = Bench(lambda: spin(dice.choice((dice.randrange(3000), dice.randrange(30_000)))), lambda: spin(1000))

    for _ in range(ROUNDS):
        attempt = bench.give_two()
        spin(dice.randrange(6000))
        interrupt(attempt)
        await bench.ended()

    assert bench.seen == []
    assert len(bench.outcomes) == ROUNDS
    assert {*bench.outcomes} <= {Outcome.TIMEOUT, Outcome.SUCCEEDED}, "interrupted, or quick enough"


async def test_a_handler_that_returns_while_it_is_interrupted_keeps_it_from_the_next_job(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The event loop has seen that the handler runs, and is about to raise the exception in its thread."""
    begun, go_on = threading.Event(), threading.Event()

    def handle() -> None:
        begun.set()
        go_on.wait(SECONDS)

    def let_it_return(_: object) -> bool:
        go_on.set()
        while attempt.thread:
            pass
        return True

    monkeypatch.setattr(IS_SAFE, let_it_return)
    bench = Bench(handle, lambda: spin(100_000))
    for number in range(100):
        begun.clear()
        go_on.clear()
        attempt = bench.give_two()
        assert await asyncio.to_thread(begun.wait, SECONDS)

        interrupt(attempt)
        await bench.ended()

        assert bench.seen == []
        assert bench.outcomes == [Outcome.SUCCEEDED] * (number + 1), "it returned before"


async def test_a_handler_is_not_interrupted_while_it_logs() -> None:
    """The lock of a logger would stay taken, and whoever logs next would wait for ever."""
    begun, go_on = threading.Event(), threading.Event()

    class Slow(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            begun.set()
            go_on.wait(SECONDS)

    logger = logging.getLogger("tests.slow")
    logger.addHandler(Slow())

    def handle() -> None:
        logger.warning("a line")
        spin(sys.maxsize)

    bench = Bench(handle, lambda: None)
    attempt = bench.give_two()
    assert await asyncio.to_thread(begun.wait, SECONDS)
    attempt.stop = "timeout"

    assert not interrupts.interrupt(attempt)
    go_on.set()
    while not interrupts.interrupt(attempt):  # noqa: ASYNC110 the other side is a thread
        await asyncio.sleep(0)

    await bench.ended()
    assert bench.outcomes == [Outcome.TIMEOUT]
    assert bench.seen == []
