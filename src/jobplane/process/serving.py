"""A daemon as a process of its own: it runs until a signal says stop, or until something in it dies."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

from jobplane.process.signals import stops


class Daemon(Protocol):
    """What is started, watched and stopped in order."""

    async def start(self) -> None: ...

    async def watch(self) -> None:
        """Return or raise only when something died that it cannot work without."""
        ...

    async def stop(self, hurry: asyncio.Event) -> None:
        """Stop in order, within the grace time; at once when `hurry` is set."""
        ...

    async def abandon(self) -> None:
        """Drop everything, after a fault."""
        ...


def serve(daemon: Callable[[], Daemon], stopped: threading.Event | None = None) -> None:
    """Run until SIGTERM, SIGHUP or Ctrl-C. A second signal stops at once. Raises the error that prevents a start.

    `stopped` is set where a signal came before this could handle them.
    """
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(daemon(), stopped))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed."""
    return import_module("uvloop").new_event_loop if find_spec("uvloop") else None


async def _serve(daemon: Daemon, stopped: threading.Event | None) -> None:
    stop, hurry = asyncio.Event(), asyncio.Event()

    def on_signal() -> None:
        (hurry if stop.is_set() else stop).set()

    loop = asyncio.get_running_loop()
    numbers = stops()
    for number in numbers:
        loop.add_signal_handler(number, on_signal)
    if stopped is not None and stopped.is_set():
        stop.set()
    try:
        await run_until(daemon, stop, hurry)
    except BaseException:
        await daemon.abandon()
        raise
    finally:
        for number in numbers:  # a late signal must not change the exit code
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)


async def run_until(daemon: Daemon, stop: asyncio.Event, hurry: asyncio.Event) -> None:
    """Start, watch and stop; a stop may also come before the start is over."""
    stopping = asyncio.create_task(stop.wait())
    try:
        if await _first(daemon.start(), stopping):
            await _first(daemon.watch(), stopping)
        await daemon.stop(hurry)
    finally:
        stopping.cancel()


async def _first(work: Coroutine[object, object, None], stopping: asyncio.Task[bool]) -> bool:
    """Whether the work was done before the stop; raises what it raised."""
    task = asyncio.create_task(work)
    await asyncio.wait({task, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if task.done():
        task.result()
        return True
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return False
