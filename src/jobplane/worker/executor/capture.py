"""What a handler says by `logging` and by `print`, as lines of its job's log."""

from __future__ import annotations

import inspect
import logging
import os
import sys
import time
from collections.abc import Iterable
from typing import Final, TextIO, cast

import orjson

from jobplane.api.desk import current
from jobplane.core.lines import LogLevel
from jobplane.telemetry import logging as telemetry
from jobplane.worker.executor.assignment import Assignment

_LOGGER: Final = "jobplane.job"
_LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class Voice:
    """The log of the process, on the stderr that it was started with: every line with the ids of its attempt."""

    def __init__(self, level: str) -> None:
        telemetry.set_up(cast("telemetry.Format", os.environ.get("JOBPLANE_LOG_FORMAT", "auto")), level)
        self._way = next(each for each in logging.getLogger().handlers if isinstance(each, telemetry.Lines))
        self._way.addFilter(_with_ids)
        self._is_json = isinstance(self._way.formatter, telemetry.JsonLines)

    def tell(self, attempt: Assignment, level: LogLevel, message: str, fields: bytes) -> None:
        """A line of a job that is no record of `logging`; its fields are JSON."""
        facts = cast("dict[str, object]", orjson.loads(fields)) if fields else {}
        if self._is_json:
            self._way.put(telemetry.json_line(time.time(), level, _LOGGER, message, {**attempt.ids, **facts}))
            return
        record = logging.LogRecord(_LOGGER, _LEVELS[level], "", 0, message, None, None)
        record.__dict__.update(attempt.ids, facts=facts)
        self._way.handle(record)


def _with_ids(record: logging.LogRecord) -> bool:
    attempt = current.get()
    if isinstance(attempt, Assignment) and not hasattr(record, "job_id"):
        record.__dict__.update(attempt.ids)
    return True


def capture_streams() -> None:
    """Before the user's modules are imported: what they keep of the streams is captured too."""
    sys.stdout = cast("TextIO", StreamCapture(sys.stdout, "info"))
    sys.stderr = cast("TextIO", StreamCapture(sys.stderr, "warning"))


def capture_records() -> None:
    """After they are imported: they may set up logging anew."""
    root = logging.getLogger()
    if not any(isinstance(each, RecordCapture) for each in root.handlers):
        root.addHandler(RecordCapture())


class RecordCapture(logging.Handler):
    """Hands the records of a handler's code to its attempt; the root logger has one."""

    def emit(self, record: logging.LogRecord) -> None:
        attempt = current.get()
        if not isinstance(attempt, Assignment):
            return
        try:
            ids = attempt.ids
            fields = {name: value for name, value in telemetry.fields(record).items() if name not in ids}
            exc_info = record.exc_info if record.exc_info and record.exc_info[0] else None
            message = record.getMessage() if exc_info is None else _with_traceback(record)
            attempt.journal.keep(attempt, _level(record.levelno), message, {"logger": record.name, **fields})
        except Exception:  # noqa: BLE001 as every handler of the standard library does
            self.handleError(record)


def _with_traceback(record: logging.LogRecord) -> str:
    return logging.Formatter("%(message)s").format(record)


def _level(number: int) -> LogLevel:
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warning"
    return "info" if number >= logging.INFO else "debug"


class StreamCapture:
    """Stands for stdout or stderr: what a handler prints goes to its job's log, anything else where it always went."""

    def __init__(self, stream: TextIO, level: LogLevel) -> None:
        self._stream = stream
        self._level: LogLevel = level

    def write(self, text: str, /) -> int:
        attempt = current.get()
        # A record is captured as one; the line that a stream handler makes of it would be the second.
        if not isinstance(attempt, Assignment) or _caller() == "logging":
            return self._stream.write(text)
        attempt.journal.printed(attempt, self._level, text)
        return len(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def writelines(self, lines: Iterable[str], /) -> None:
        for line in lines:
            self.write(line)


def _caller() -> str:
    """The module whose code writes to a stream."""
    frame = inspect.currentframe()
    writes = frame and frame.f_back and frame.f_back.f_back
    return str(writes.f_globals.get("__name__")) if writes else ""
