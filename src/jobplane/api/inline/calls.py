"""Call a handler and turn its end, whatever it is, into a settlement."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import cast

from jobplane.api.inline.run import Run
from jobplane.core.model import Settlement
from jobplane.execution import endings
from jobplane.execution.desk import seated


def call(run: Run) -> Settlement:
    """Run a `def` handler in this thread; only an interrupt of the program itself comes out."""
    try:
        with seated(run.desk):
            result = run.start()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 sys.exit() in a handler ends its attempt, not its runner
        return _settled(run, endings.raised(error, run.lease.timeout_seconds))
    return _settled(run, endings.succeeded(result, run.artifacts))


async def call_async(run: Run) -> Settlement:
    """Run an `async def` handler for at most its timeout; only a cancellation from outside comes out."""
    limit = asyncio.timeout(run.lease.timeout_seconds)
    try:
        async with limit:
            with seated(run.desk):
                result = await cast("Awaitable[object]", run.start())
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _from_outside():
            raise
        if isinstance(error, TimeoutError) and limit.expired():
            return _settled(run, endings.timed_out(run.lease.timeout_seconds))
        return _settled(run, endings.raised(error, run.lease.timeout_seconds))
    return _settled(run, endings.succeeded(result, run.artifacts))


def _settled(run: Run, ending: endings.Ending) -> Settlement:
    return ending.settles(run.lease, run.desk.share)


def _from_outside() -> bool:
    """Whether somebody canceled this task; a handler may also raise the same by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
