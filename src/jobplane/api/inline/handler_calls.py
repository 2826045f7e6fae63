"""Call a handler and turn its end, whatever it is, into an ending."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import cast

from jobplane.api.inline.run import Run
from jobplane.core.leases import Ending
from jobplane.execution import endings
from jobplane.execution.exceptions import Canceled, LeaseLost
from jobplane.execution.running import as_current


def call(run: Run) -> Ending:
    """Run a `def` handler in this thread; only an interrupt of the program itself comes out."""
    try:
        with as_current(run.attempt):
            result = run.start()
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 sys.exit() in a handler ends its attempt, not its runner
        return _end_with_error(run, error)
    return _end_with_result(run, result)


async def call_async(run: Run) -> Ending:
    """Run an `async def` handler for at most its timeout; only a cancellation from outside comes out."""
    try:
        async with asyncio.timeout(run.timeout_seconds):
            with as_current(run.attempt):
                result = await cast("Awaitable[object]", run.start())
                await run.attempt.end_checks()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _from_outside():
            raise
        return _end_with_error(run, error)
    return _end_with_result(run, result)


def _end_with_result(run: Run, result: object) -> Ending:
    """After its deadline a handler that returns is no success."""
    ending = endings.end_with_result(result, run.artifacts, run.attempt.masker)
    return _finish(run, endings.end_timed_out(run.timeout_seconds) if run.attempt.is_late else ending)


def _end_with_error(run: Run, error: BaseException) -> Ending:
    """After its deadline any error counts as the timeout, unless the handler says itself how it ends."""
    ending = endings.end_with_error(error, run.timeout_seconds, run.attempt.masker)
    is_late = run.attempt.is_late and not (endings.is_own(error) or isinstance(error, Canceled | LeaseLost))
    return _finish(run, endings.end_timed_out(run.timeout_seconds) if is_late else ending)


def _finish(run: Run, ending: Ending) -> Ending:
    return ending if run.attempt.share is None else ending._replace(progress=run.attempt.share)


def _from_outside() -> bool:
    """Whether somebody canceled this task; a handler may also raise the same error."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
