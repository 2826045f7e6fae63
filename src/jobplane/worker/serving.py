"""A worker as a process of its own: until a signal says stop, or something dies."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from importlib import import_module
from importlib.util import find_spec

from jobplane.config import Config
from jobplane.core.errors import Invalid
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.signals import stops
from jobplane.worker.supervisor import Supervisor


def serve(config: Config, *, url: str | None = None, stopped: threading.Event | None = None) -> None:
    """Run until SIGTERM, SIGHUP or Ctrl-C; the second one means now. Raises what keeps the worker from running.

    `stopped` is set where a signal came before this could take them over.
    """
    if not config.worker_imports:
        raise Invalid(
            "A worker runs the jobs of your modules: name them with --import app.jobs.", setting="worker_imports"
        )
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(Supervisor(config, WorkerSettings.of(config, url=url)), stopped))


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed."""
    return import_module("uvloop").new_event_loop if find_spec("uvloop") else None


async def _serve(supervisor: Supervisor, stopped: threading.Event | None) -> None:
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
        await run_until(supervisor, stop, hurry)
    except BaseException:
        await supervisor.abandon()
        raise
    finally:
        for number in numbers:  # one that comes while we leave must not change how we left
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_IGN)


async def run_until(supervisor: Supervisor, stop: asyncio.Event, hurry: asyncio.Event) -> None:
    """Start, watch and stop; a stop that comes before it has started is one too."""
    stopping = asyncio.create_task(stop.wait())
    try:
        if await _first(supervisor.start(), stopping):
            await _first(supervisor.watch(), stopping)
        await supervisor.stop(hurry)
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
