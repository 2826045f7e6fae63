"""The log of the process: what its handlers say, with the ids of their attempts; and how it is caught."""

from __future__ import annotations

import logging
import sys
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from contextvars import Context
from io import TextIOWrapper
from typing import Final, TextIO, cast

import orjson

from jobplane.core.logs import LogLevel
from jobplane.execution.capture import JOB_LOGGER, RecordCapture, StreamCapture
from jobplane.execution.running import current
from jobplane.telemetry import logging as telemetry
from jobplane.worker.executor.assignment import Assignment

_TOGETHER_SECONDS: Final = 0.05  # a write for each line would be a third of what a job with one line costs
_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class ProcessLog:
    """The log of the process, on the stderr that it was started with: every line with the ids of its attempt."""

    def __init__(self, level: str, form: telemetry.Format) -> None:
        telemetry.set_up(form, level)
        self._way = next(each for each in logging.getLogger().handlers if isinstance(each, telemetry.Lines))
        self._way.addFilter(_with_ids)
        self._is_json = isinstance(self._way.formatter, telemetry.JsonLines)

    def pace(self, loop: AbstractEventLoop) -> None:
        """From now on the lines of a flood leave together; one that comes after a silence, or is an error, at once."""
        base = Context()

        def later(seconds: float, call: Callable[[], None]) -> None:
            loop.call_soon_threadsafe(lambda: loop.call_later(seconds, call, context=base), context=base)

        self._way.pace(_TOGETHER_SECONDS, later)

    def tell(self, attempt: Assignment, level: LogLevel, message: str, fields: bytes) -> None:
        """A line of a job that is no record of `logging`; its fields are JSON."""
        facts = cast("dict[str, object]", orjson.loads(fields)) if fields else {}
        if self._is_json:
            self._way.put(
                telemetry.json_line(time.time(), level, JOB_LOGGER, message, {**facts, **attempt.named}),
                at_once=level == "error",
            )
            return
        record = logging.LogRecord(JOB_LOGGER, _LEVELS[level], "", 0, message, None, None)
        record.facts = facts
        self._way.handle(record)


def _with_ids(record: logging.LogRecord) -> bool:
    """Add the ids of the attempt to a record; fields of the handler do not replace them."""
    attempt = current.get()
    if isinstance(attempt, Assignment):
        facts: object = getattr(record, "facts", None)
        said: Mapping[str, object] = cast("Mapping[str, object]", facts) if isinstance(facts, Mapping) else {}
        record.facts = {**said, **attempt.named}
    return True


def capture_streams() -> None:
    """Before the user's modules are imported: what they keep of the streams is captured too.

    What no handler prints leaves in whole lines, so that it does not share one with the log of another process.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True, write_through=False)
    sys.stdout = cast("TextIO", StreamCapture(sys.stdout, "info"))
    sys.stderr = cast("TextIO", StreamCapture(sys.stderr, "warning"))


def capture_records() -> None:
    """Call it after the user's modules are imported: they may set up logging again."""
    root = logging.getLogger()
    if not any(isinstance(each, RecordCapture) for each in root.handlers):
        root.addHandler(RecordCapture())
