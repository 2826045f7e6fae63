"""What a handler says by `logging` and by `print`, as lines of its job's log."""

from __future__ import annotations

import inspect
import logging
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Final, TextIO, cast

from jobplane.core.logs import LogLevel
from jobplane.core.masking import NO_SECRETS, Masker
from jobplane.execution.known_secrets import KNOWN
from jobplane.execution.running import current
from jobplane.telemetry.logging import fields, message_of

JOB_LOGGER: Final = "jobplane.job"  # what `ctx.log` says; it is in the job's log already


class LoggedAttempt(ABC):
    """An attempt with a log of its own."""

    @property
    @abstractmethod
    def masker(self) -> Masker:
        """Masks what the attempt says."""

    @abstractmethod
    def keep(self, level: LogLevel, message: str, fields: Mapping[str, object]) -> None:
        """Keep a record of `logging`. Other handlers of the logger have seen it already."""

    @abstractmethod
    def keep_output(self, level: LogLevel, text: str) -> None:
        """Keep a part of the text that was written to a stream."""


class RecordCapture(logging.Handler):
    """Hands the records of a handler's code to its attempt; the root logger has one."""

    def emit(self, record: logging.LogRecord) -> None:
        attempt = current.get()
        if not isinstance(attempt, LoggedAttempt) or record.name == JOB_LOGGER:
            return
        try:
            exc_info = record.exc_info if record.exc_info and record.exc_info[0] else None
            message = message_of(record) if exc_info is None else _with_traceback(record)
            attempt.keep(_level(record.levelno), message, {"logger": record.name, **fields(record)})
        except Exception:  # noqa: BLE001 as every handler of the standard library does
            self.handleError(record)


class QuietCapture(RecordCapture):
    """Does not count as a handler: where a program has none, its warnings go to stderr as they always did."""

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        last = logging.lastResort
        if last is not None and record.levelno >= last.level and self._is_alone(record.name):
            last.handle(record)

    def _is_alone(self, name: str) -> bool:
        logger: logging.Logger | None = logging.getLogger(name)
        while logger is not None:
            if any(each is not self for each in logger.handlers):
                return False
            logger = logger.parent
        return True


def _with_traceback(record: logging.LogRecord) -> str:
    plain = copy(record)
    plain.msg, plain.args = message_of(record), None
    return logging.Formatter("%(message)s").format(plain)


def _level(number: int) -> LogLevel:
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warning"
    return "info" if number >= logging.INFO else "debug"


class StreamCapture:
    """Stands for stdout or stderr: what a handler prints goes to its job's log, anything else where it always went.

    Known secrets are masked there too. Where one may have begun at the end of a text, that end waits for the next text
    of its thread.
    """

    def __init__(self, stream: TextIO, level: LogLevel, *, passes_on: bool = False) -> None:
        self.stream = stream
        self._level: LogLevel = level
        self.passes_on = passes_on
        self._waiting: dict[int, str] = {}  # by thread

    def write(self, text: str, /) -> int:
        attempt = current.get()
        # A record is captured as one; what `logging` makes of it, a line or its complaint, would be the second.
        if not isinstance(attempt, LoggedAttempt):
            self._pass_on(text, KNOWN.all)
        elif _caller() == "logging":
            self._pass_on(text, attempt.masker)
        else:
            attempt.keep_output(self._level, text)
            if self.passes_on:
                self._pass_on(text, attempt.masker)
        return len(text)

    def write_waiting(self) -> None:
        """Write what waits. Nothing comes after it."""
        while self._waiting:
            self.stream.write(KNOWN.all.mask(self._waiting.popitem()[1]))

    def _pass_on(self, text: str, masker: Masker) -> None:
        if masker is not NO_SECRETS or self._waiting:
            thread = threading.get_ident()
            text, waiting = masker.divide(self._waiting.pop(thread, "") + text)
            if waiting:
                self._waiting[thread] = waiting
        self.stream.write(masker.mask(text))

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)

    def writelines(self, lines: Iterable[str], /) -> None:
        for line in lines:
            self.write(line)


def _caller() -> str:
    """The module whose code writes to a stream, directly or through `traceback`."""
    frame = inspect.currentframe()
    writes = frame and frame.f_back and frame.f_back.f_back
    while writes and writes.f_globals.get("__name__") == "traceback":
        writes = writes.f_back
    return str(writes.f_globals.get("__name__")) if writes else ""


class _Captures:
    """Up while anybody in this process runs handlers in place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._records = QuietCapture()

    def put_up(self) -> None:
        with self._lock:
            self._count += 1
            if self._count == 1:
                self._begin()

    def take_down(self) -> None:
        with self._lock:
            self._count -= 1
            if self._count == 0:
                self._end()

    def _begin(self) -> None:
        root = logging.getLogger()
        if not any(isinstance(each, RecordCapture) for each in root.handlers):
            root.addHandler(self._records)
        levels: dict[str, LogLevel] = {"stdout": "info", "stderr": "warning"}
        for name, level in levels.items():
            stream = cast("TextIO | None", getattr(sys, name))
            if stream is not None and not isinstance(stream, StreamCapture):
                setattr(sys, name, StreamCapture(stream, level, passes_on=True))

    def _end(self) -> None:
        logging.getLogger().removeHandler(self._records)
        for name in ("stdout", "stderr"):
            stream: object = getattr(sys, name)
            if isinstance(stream, StreamCapture) and stream.passes_on:
                stream.write_waiting()
                setattr(sys, name, stream.stream)


_captures: Final = _Captures()


@contextmanager
def capture_output() -> Generator[None]:
    """Write the output of handlers to the logs of their jobs, and also where it would go otherwise."""
    _captures.put_up()
    try:
        yield
    finally:
        _captures.take_down()
