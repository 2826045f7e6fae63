"""The log of the process, with the ids of attempts, and the capture of streams and records."""

from __future__ import annotations

import atexit
import logging
import sys
import time
from asyncio import AbstractEventLoop
from collections.abc import Callable, Mapping
from contextvars import Context
from copy import copy
from io import TextIOWrapper
from typing import Final, TextIO, cast

import orjson

from jobplane.core.logs import LogLevel
from jobplane.core.masking import NO_SECRETS
from jobplane.execution.capture import JOB_LOGGER, RecordCapture, StreamCapture
from jobplane.execution.known_secrets import KNOWN
from jobplane.execution.masked_records import mask_record
from jobplane.execution.masked_values import has_headers
from jobplane.execution.running import current
from jobplane.telemetry import logging as telemetry
from jobplane.worker.executor.assignment import Assignment

_TOGETHER_SECONDS: Final = 0.05  # a write for each line would be a third of what a job with one line costs
_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class ProcessLog:
    """Writes the log of the process to stderr, each line with the ids of its attempt."""

    def __init__(self, level: str, form: telemetry.Format) -> None:
        telemetry.set_up(form, level)
        self._way = next(each for each in logging.getLogger().handlers if isinstance(each, telemetry.Lines))
        self._is_json = isinstance(self._way.formatter, telemetry.JsonLines)
        self._way.setFormatter(_WithIds(self._way.formatter))

    def pace(self, loop: AbstractEventLoop) -> None:
        """From now on write lines that come fast together, and a line after a silence or an error at once."""
        base = Context()

        def later(seconds: float, call: Callable[[], None]) -> None:
            loop.call_soon_threadsafe(lambda: loop.call_later(seconds, call, context=base), context=base)

        self._way.pace(_TOGETHER_SECONDS, later)

    def tell(self, attempt: Assignment, level: LogLevel, message: str, fields: bytes) -> None:
        """Write a line of a job that is no record of `logging`. Its fields are JSON."""
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


class _WithIds(logging.Formatter):
    """Adds the ids of the attempt to a line, and masks secrets. Fields of the handler do not replace the ids.

    The record stays as it is.
    """

    def __init__(self, form: logging.Formatter | None) -> None:
        super().__init__()
        self._form = form or logging.Formatter()

    def format(self, record: logging.LogRecord) -> str:
        running = current.get()
        attempt = running if isinstance(running, Assignment) else None
        masker = KNOWN.all if attempt is None else attempt.masker
        if masker is NO_SECRETS:
            line = self._form.format(_with_ids(record, attempt))
            if not has_headers(line):
                return line
        return self._form.format(_with_ids(mask_record(record, masker), attempt))


def _with_ids(record: logging.LogRecord, attempt: Assignment | None) -> logging.LogRecord:
    if attempt is None:
        return record
    facts: object = getattr(record, "facts", None)
    said: Mapping[str, object] = cast("Mapping[str, object]", facts) if isinstance(facts, Mapping) else {}
    named = copy(record)
    named.facts = {**said, **attempt.named}
    return named


def capture_streams() -> None:
    """Capture stdout and stderr. Call this before the user's modules are imported: they may keep the streams.

    Output outside handlers is written in whole lines: other processes write to the same stream.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True, write_through=False)
    sys.stdout = cast("TextIO", StreamCapture(sys.stdout, "info"))
    sys.stderr = cast("TextIO", StreamCapture(sys.stderr, "warning"))
    for stream in (sys.stdout, sys.stderr):
        atexit.register(cast("StreamCapture", stream).write_waiting)


def capture_records() -> None:
    """Capture records of `logging`. Call this after the user's modules are imported: they may set up logging again."""
    root = logging.getLogger()
    if not any(isinstance(each, RecordCapture) for each in root.handlers):
        root.addHandler(RecordCapture())
