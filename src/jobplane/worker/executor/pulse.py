"""The pulse of an executor: an event loop that a handler keeps from turning past a deadline ends with its process."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from time import monotonic, sleep
from typing import Final, NoReturn

from jobplane.worker.executor.stops import Stops

BLOCKED: Final = 4  # the exit code
_TICK_SECONDS: Final = 0.5
_LATE_TICKS: Final = 6  # counted, not measured: a process that was stopped and goes on is not late
_SAID: Final = (
    "a handler blocks the event loop, and a timeout has passed: its process ends, and who ran there runs alone"
)

log = logging.getLogger("jobplane.worker")


def watch(stops: Stops) -> None:
    """From a thread: nothing that runs on the loop could. Who ran there is a suspect, and alone it has its timeout."""
    threading.Thread(target=_watch, args=(stops, threading.get_ident()), name="jobplane-pulse", daemon=True).start()


def _watch(stops: Stops, loop_thread: int) -> None:
    late = 0
    while late < _LATE_TICKS:
        sleep(_TICK_SECONDS)
        late = late + 1 if stops.next + _TICK_SECONDS < monotonic() else 0
    _end(stops, loop_thread)


def _end(stops: Stops, loop_thread: int) -> NoReturn:
    frame = sys._current_frames().get(loop_thread)  # pyright: ignore[reportPrivateUsage] no other way
    stack = "".join(traceback.format_stack(frame, limit=3)) if frame else None
    log.error(_SAID, extra={"facts": {"event": "event_loop_blocked", "stack": stack, **stops.ids}})
    os._exit(BLOCKED)
