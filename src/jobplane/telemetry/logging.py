"""The formats of log lines: one JSON object for each, or a readable line on a terminal."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from time import monotonic
from typing import Final, Literal, TextIO, cast

import orjson

from jobplane.telemetry.outlet import Outlet

Format = Literal["auto", "human", "json"]
Later = Callable[[float, Callable[[], None]], None]

_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "facts"}
_FOR_MACHINES: Final = frozenset({"event", "worker_id", "trace_id", "seq"})
TRACEBACK: Final = "exception"  # the fact that holds one
_MOMENT_SECONDS: Final = 0.1
_FLUSH_SECONDS: Final = 0.5  # a stop has 3 s beyond its grace time for everything
_COLOURS: Final = {"warning": "\x1b[33m", "error": "\x1b[31m", "critical": "\x1b[31m"}


def set_up(form: Format = "auto", level: str = "info", stream: TextIO | None = None) -> None:
    """Send the records of all loggers to a stream, stderr by default. A second call replaces the first handler."""
    target = stream or sys.stderr
    human = form == "human" or (form == "auto" and target.isatty())
    handler = Lines(target)
    handler.setFormatter(HumanLines(colour=target.isatty()) if human else JsonLines())
    handler.set_name("jobplane")
    root = logging.getLogger()
    for old in [known for known in root.handlers if known.get_name() == "jobplane"]:
        root.removeHandler(old)
        old.flush()
    root.addHandler(handler)
    root.setLevel(logging.INFO)  # others' debug lines tell nothing about jobs
    logging.getLogger("jobplane").setLevel(level.upper())


class Event:
    """The message of an event. Our own formats show its words and facts apart, all others both in one text."""

    def __init__(self, words: str, facts: Mapping[str, object]) -> None:
        self.words = words
        self._facts = facts

    def __str__(self) -> str:
        facts = _select_facts(self._facts)
        facts.pop(TRACEBACK, None)  # a message is one line
        return f"{self.words}{_format_facts(facts)}"


def message_of(record: logging.LogRecord) -> str:
    """The message of a record without its facts. Arguments that do not fit the text are appended to it."""
    if isinstance(record.msg, Event):
        return record.msg.words
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001 an object's own method may raise anything
        return f"{_plain(record.msg)} {_plain(record.args)}"


def fields(record: logging.LogRecord) -> dict[str, object]:
    """The fields of a record: the `extra` of the call, with the items of `facts` in it."""
    found: dict[str, object] = {name: value for name, value in vars(record).items() if name not in _OWN}
    facts: object = getattr(record, "facts", None)
    if isinstance(facts, Mapping):
        found.update(cast("Mapping[str, object]", facts))
    return found


class Lines(logging.StreamHandler[TextIO]):
    """Writes records, and lines that are no records: a record would double the cost of a job's own line.

    No caller waits long for a blocked reader: lines beyond the buffer of the outlet are dropped and counted.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._held: list[str] = []
        self._every = 0.0
        self._next = 0.0
        self._later: Later | None = None
        self._is_coming = False
        self._dropped = 0
        self._waits = False
        self._pid = os.getpid()
        self._outlet = _outlet(stream)

    def pace(self, seconds: float, later: Later) -> None:
        """Write at most once in so many seconds, all lines since then together. `later` is called from any thread."""
        self._every, self._later, self._waits = seconds, later, True

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.put(self.format(record), at_once=record.levelno >= logging.ERROR)
        except Exception:  # noqa: BLE001 as every handler of the standard library does
            self.handleError(record)

    def put(self, line: str, *, at_once: bool = False) -> None:
        """Write a line. It is written before this returns if `at_once` is set or no line was written recently.

        So the line is there if the process ends right after. Only a blocked reader is not waited for.
        """
        with self.lock or nullcontext():
            if self._pid != os.getpid():
                self._begin_anew()
            self._held.append(line)
            wait = self._next - monotonic()
            if at_once or wait <= 0 or self._later is None:
                self._send()
                if self._outlet and (at_once or self._waits) and not self._outlet.is_late:
                    self._outlet.wait(_MOMENT_SECONDS)
            elif not self._is_coming:
                self._is_coming = True
                self._later(wait, self._send)

    def flush(self) -> None:
        """Write all waiting lines now."""
        with self.lock or nullcontext():
            if self._pid != os.getpid():
                self._begin_anew()
            if self._outlet:
                self._outlet.wait(_FLUSH_SECONDS / 2)  # for room
            self._send()
            if self._outlet:
                self._outlet.wait(_FLUSH_SECONDS / 2)

    def _send(self) -> None:
        with self.lock or nullcontext(), suppress(OSError, ValueError):  # whoever read the stream is gone
            held, self._held, self._is_coming = self._held, [], False
            self._next = monotonic() + self._every
            if self._outlet is None:
                self.stream.write(self._join(held))
                super().flush()
            elif (held or self._dropped) and not self.stream.closed:
                self._send_by(self._outlet, held)

    def _send_by(self, outlet: Outlet, held: list[str]) -> None:
        data = self._join(held).encode(self.stream.encoding, "backslashreplace")
        if not outlet.has_room(len(data)):
            self._dropped += len(held)
            return
        if self._dropped:
            record = logging.LogRecord(
                "jobplane", logging.WARNING, "", 0, "%d log lines were dropped.", (self._dropped,), None
            )
            record.lines_dropped, self._dropped = self._dropped, 0
            data = self._join([self.format(record)]).encode(self.stream.encoding, "backslashreplace") + data
        outlet.write(data)

    def _join(self, lines: list[str]) -> str:
        return self.terminator.join((*lines, ""))

    def _begin_anew(self) -> None:
        """Start empty in a fork: waiting lines, the thread and the loop are the parent's."""
        self._held, self._dropped, self._is_coming = [], 0, False
        self._later, self._waits = None, True
        self._pid, self._outlet = os.getpid(), _outlet(self.stream)


def _outlet(stream: TextIO) -> Outlet | None:
    """The outlet of a stream, or None for a stream in memory."""
    try:
        return Outlet(stream.fileno())
    except (OSError, ValueError, AttributeError):
        return None


def json_line(at: float, level: str, logger: str, message: str, facts: Mapping[str, object]) -> str:
    """One JSON object. Facts that are None are left out; a fact named like a field of each line gets a `_` appended."""
    line: dict[str, object] = {
        "timestamp": datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds"),
        "level": level,
        "logger": logger,
        "message": message,
    }
    line.update([(f"{name}_" if name in line else name, value) for name, value in facts.items() if value is not None])
    return _json(line)


class JsonLines(logging.Formatter):
    """One JSON object for each record."""

    def format(self, record: logging.LogRecord) -> str:
        facts = fields(record)
        if record.exc_info:
            facts[TRACEBACK] = self.formatException(record.exc_info)
        return json_line(record.created, record.levelname.lower(), record.name, message_of(record), facts)


class HumanLines(logging.Formatter):
    """Time, level, message and the facts for people. Only a traceback has line breaks."""

    def __init__(self, *, colour: bool = False) -> None:
        super().__init__()
        self._colour = colour

    def format(self, record: logging.LogRecord) -> str:
        level = record.levelname.lower()
        at = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S")
        facts = _select_facts(fields(record))
        raised = facts.pop(TRACEBACK, None)
        line = f"{at} {self._paint(level)} {_show(message_of(record), quote=False)}{_format_facts(facts)}"
        if raised:  # out of another process: what is in it a terminal must not obey
            return "\n".join((line, *(_show(each, quote=False) for each in str(raised).splitlines())))
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line

    def _paint(self, level: str) -> str:
        colour = _COLOURS.get(level, "") if self._colour else ""
        return f"{colour}{level:<7}\x1b[0m" if colour else f"{level:<7}"


def _select_facts(facts: Mapping[str, object]) -> dict[str, object]:
    """The facts for a terminal: without event names, and with the worker's id only in its first line.

    A tenant is named by its slug if that is known.
    """
    hidden = _FOR_MACHINES - {"worker_id"} if facts.get("event") == "worker_started" else _FOR_MACHINES
    hidden = hidden | {"tenant_id"} if facts.get("tenant") else hidden
    return {name: value for name, value in facts.items() if value is not None and name not in hidden}


def _format_facts(facts: Mapping[str, object]) -> str:
    return "".join(f" {name}={_show(value)}" for name, value in facts.items())


def _json(line: Mapping[str, object]) -> str:
    try:
        return orjson.dumps(line, default=str).decode()
    except TypeError:  # a lone surrogate, a huge integer, a key that is no text, an object that cannot be shown
        return orjson.dumps({_plain(name): _to_json(value) for name, value in line.items()}).decode()


def _to_json(value: object) -> object:
    """A value that JSON can carry unchanged, any other as Python shows it."""
    try:
        return orjson.Fragment(orjson.dumps(value, default=str))
    except TypeError:
        return _plain(value)


def _plain(value: object) -> str:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    try:
        return ascii(value)
    except Exception:  # noqa: BLE001 an object's own method may raise anything
        return f"{type(value).__name__}, which cannot be shown"


def _text(value: object) -> str:
    return _json(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else str(value)


def _show(value: object, *, quote: bool = True) -> str:
    """A text that is one word unchanged, any other quoted and escaped: it may contain control characters."""
    try:
        text = _text(value)
    except Exception:  # noqa: BLE001 an object's own method may raise anything
        text = f"{type(value).__name__}, which cannot be shown"
    if text.isprintable() and not (quote and (" " in text or not text)):
        return text
    return repr(text) if quote else repr(text)[1:-1]
