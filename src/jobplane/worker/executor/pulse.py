"""End an executor whose event loop is blocked past a deadline."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from collections.abc import Callable
from time import monotonic, sleep
from typing import Final, NoReturn

from jobplane.worker.executor.stops import Stops
from jobplane.worker.frames import BLOCKED_EXIT, Kind, json_frame

Tell = Callable[[bytes], None]  # to the supervisor, while the event loop stands still
_TICK_SECONDS: Final = 0.5
_LATE_TICKS: Final = 6  # counted, not measured: a process that was stopped and goes on is not late
_SAID: Final = "A handler blocks the event loop and a timeout has passed. The process ends."

log = logging.getLogger("jobplane.worker")


def watch(stops: Stops, tell: Tell) -> None:
    """Watch the event loop of this thread from another thread, and end the process if the loop is blocked too long.

    If the handler that blocks the loop is past its own timeout, the supervisor is told so: only that attempt fails.
    Otherwise every job that ran here is a suspect.
    """
    arguments = (stops, tell, threading.get_ident())
    threading.Thread(target=_watch, args=arguments, name="jobplane-pulse", daemon=True).start()


def _watch(stops: Stops, tell: Tell, loop_thread: int) -> None:
    late = 0
    while late < _LATE_TICKS:
        sleep(_TICK_SECONDS)
        late = late + 1 if stops.next + _TICK_SECONDS < monotonic() else 0
    _end(stops, tell, loop_thread)


def _end(stops: Stops, tell: Tell, loop_thread: int) -> NoReturn:
    frame = sys._current_frames().get(loop_thread)  # pyright: ignore[reportPrivateUsage] no other way
    stack = "".join(traceback.format_stack(frame, limit=3)) if frame else None
    log.error(_SAID, extra={"facts": {"event": "event_loop_blocked", "stack": stack, **stops.ids}})
    if (blocker := stops.find_blocker()) is not None:
        tell(json_frame(Kind.OVERDUE, [[blocker.seq, "timeout"]]))
    os._exit(BLOCKED_EXIT)
