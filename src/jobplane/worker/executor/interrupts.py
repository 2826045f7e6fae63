"""Raise DeadlinePassed in the thread of a `def` handler, and nowhere else.

The next job of the thread never gets it. The event loop first writes `attempt.stop`, then takes the lock and reads
`attempt.thread`. After the handler the thread first clears `attempt.thread`, then reads `attempt.stop`; if that is set,
it takes the lock and withdraws an exception that has not been raised yet. An attempt that is never stopped takes no
lock.

Some code must not be interrupted: it would leave a lock taken, or a transaction open that keeps every other process
from writing. A handler that is in it raises the exception itself as it leaves.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Final

from jobplane.execution.exceptions import DeadlinePassed
from jobplane.worker.executor.forks import is_fork

if TYPE_CHECKING:
    from jobplane.worker.executor.assignment import Assignment

_lock: Final = threading.Lock()
_set_async_exc: Final = ctypes.pythonapi.PyThreadState_SetAsyncExc
_set_async_exc.argtypes = (ctypes.c_ulong, ctypes.py_object)
_set_async_exc.restype = ctypes.c_int
_NOTHING: Final = ctypes.py_object()  # a null pointer
# Code that shares locks and half-finished steps with other attempts, and never blocks for long.
_UNSAFE: Final = (
    "importlib",
    "logging",
    "jobplane.telemetry",
    "jobplane.store",
    "jobplane.opening",
    "jobplane.execution.attempt_secrets",
    "jobplane.execution.capture",
    "jobplane.execution.known_secrets",
    "jobplane.execution.output",
    "jobplane.worker.executor.assignment",
    "jobplane.worker.executor.capture",
    "jobplane.worker.executor.job_logs",
    "jobplane.worker.executor.outbox",
)


def interrupt(attempt: Assignment) -> bool:
    """Raise DeadlinePassed in the attempt's handler, once. False: the handler is in code that must not be interrupted.

    Nothing happens before the handler has begun or after it has returned. In a handler that is blocked in C code the
    exception is raised when that returns.
    """
    with _lock:
        thread = attempt.thread
        if not thread or attempt.is_told:
            return True
        if not _is_safe(sys._current_frames().get(thread)):  # pyright: ignore[reportPrivateUsage] no other way
            attempt.is_due = True
            return False
        attempt.is_told = True
        _set_async_exc(thread, DeadlinePassed)
    return True


def leave(attempt: Assignment) -> None:
    """Raise DeadlinePassed in a handler that leaves code in which it could not be interrupted."""
    if not attempt.is_due or attempt.thread != threading.get_ident():
        return
    with _lock:
        if attempt.is_told:
            return
        attempt.is_told = True
    raise DeadlinePassed


def withdraw() -> None:
    """Withdraw an exception that has not been raised in this thread yet, once its handler has returned."""
    with _lock:
        _set_async_exc(threading.get_ident(), _NOTHING)


def learn(attempt: Assignment) -> None:
    """The handler is about to learn of its deadline from a checkpoint, and need not be interrupted as well."""
    if attempt.thread == threading.get_ident() and not is_fork():
        with _lock:
            attempt.is_told = True
            _set_async_exc(attempt.thread, _NOTHING)


def _is_safe(frame: FrameType | None) -> bool:
    while frame is not None:
        module = f"{frame.f_globals.get('__name__')}."
        if any(module.startswith(f"{name}.") for name in _UNSAFE):
            return False
        frame = frame.f_back
    return True
