"""The log of a daemon: one line for each event."""

from __future__ import annotations

import logging
from typing import Final

from jobplane.process.event_text import make_text
from jobplane.telemetry.logging import Event

LEVELS: Final = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class EventLog:
    """An event has a name that never changes, and facts. `ids` are facts of every event: they name the process."""

    def __init__(self, log: logging.Logger, **ids: str) -> None:
        self.log = log
        self._ids = ids

    @property
    def is_detailed(self) -> bool:
        return self.log.isEnabledFor(logging.DEBUG)

    def log_event(self, name: str, text: str | None = None, /, *, level: str = "info", **facts: object) -> None:
        """Log one event. `text` is a sentence for people; by default that of the name."""
        known = {"event": name, **self._ids, **facts}
        self.log.log(LEVELS[level], Event(text or make_text(name), known), extra={"facts": known})

    def log_step(self, name: str, **facts: object) -> None:
        """An event for the log level debug."""
        if self.is_detailed:
            self.log_event(name, level="debug", **facts)

    def log_loop_died(self, loop: str, error: BaseException | None) -> None:
        """A fault of our own, with its traceback."""
        known = {"event": "loop_died", **self._ids, "loop": loop}
        self.log.error(Event("A loop of this process died.", known), extra={"facts": known}, exc_info=error)


def show_error(error: BaseException | None) -> str:
    """The class of an error and its message, on one line."""
    if error is None:
        return "it was canceled"
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
