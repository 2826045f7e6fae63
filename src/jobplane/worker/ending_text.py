"""The sentences of the worker's log about the end of an attempt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from jobplane.control.status_text import describe_status
from jobplane.core.model import Outcome

_TRACEBACK: Final = "Traceback (most recent call last):"
_HEAD: Final = re.compile(
    rf"^(?: *\+ Exception Group )?{re.escape(_TRACEBACK)}$", re.MULTILINE
)  # not of a group's parts
_BAR: Final = "  | "  # before each line of a group

_ENDED: Final[Mapping[Outcome, str]] = {
    Outcome.SUCCEEDED: "Job succeeded.",
    Outcome.FAILED: "Attempt failed.",
    Outcome.FATAL: "Attempt failed and must not be retried.",
    Outcome.TIMEOUT: "Attempt exceeded its timeout.",
    Outcome.LOST: "Attempt was lost: its process died.",
    Outcome.RELEASED: "Attempt was released.",
    Outcome.CANCELED: "Attempt was canceled.",
}


def make_ending_text(outcome: Outcome, status: str | None) -> str:
    """How the attempt ended, and the job's status since then if it is known."""
    led_to = describe_status(status)
    return _ENDED[outcome] if led_to is None else f"{_ENDED[outcome]} {led_to}"


def find_traceback(error: str | None) -> str | None:
    """The whole error if it contains a traceback, else None."""
    return error if error and _TRACEBACK in error else None


def message_of(error: str | None) -> str | None:
    """The message of an error, without its traceback."""
    lines = (line.removeprefix(_BAR) for line in _HEAD.split((error or "").strip())[-1].splitlines())
    said = next((line for line in lines if line and not line.startswith(" ")), None)
    return said[:500] if said else None
