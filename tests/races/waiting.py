"""Calls that may have to wait for each other: started in threads, and watched through the database's locks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Generic, TypeVar

from tests.races.hands import Hand

T = TypeVar("T")
PATIENCE = 20.0


class Later(Generic[T]):
    """A call that runs in a thread of its own on somebody's connection."""

    def __init__(self, probe: Hand, hand: Hand, call: Callable[[], T]) -> None:
        self._probe = probe
        self._pid = hand.pid
        self._future: Future[T] = Future()
        threading.Thread(target=_fulfil, args=(self._future, call), daemon=True).start()

    def waits(self, seconds: float = PATIENCE) -> bool:
        """Whether it stands behind somebody's lock; returns as soon as that is certain, or time is up."""
        ends_at = time.monotonic() + seconds
        while not self._future.done() and time.monotonic() < ends_at:
            if self._probe.run("select cardinality(pg_blocking_pids(%s)) > 0", self._pid)[0][0]:
                return True
            time.sleep(0.002)
        return False

    def answer(self) -> T:
        return self._future.result(PATIENCE)


def at_once(calls: Sequence[Callable[[], T]]) -> list[T]:
    """All calls start at the same moment, each in a thread; their answers in order. The first that raised, raises."""
    barrier = threading.Barrier(len(calls))

    def started_together(call: Callable[[], T]) -> T:
        barrier.wait(PATIENCE)
        return call()

    futures: list[Future[T]] = [Future() for _ in calls]
    for future, call in zip(futures, calls, strict=True):
        threading.Thread(target=_fulfil, args=(future, partial(started_together, call)), daemon=True).start()
    return [future.result(60) for future in futures]


def _fulfil(future: Future[T], call: Callable[[], T]) -> None:
    try:
        future.set_result(call())
    except BaseException as error:  # noqa: BLE001 - whatever it is, the one who asks for the answer gets it
        future.set_exception(error)
