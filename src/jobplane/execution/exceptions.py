"""Exceptions that a handler raises to end its attempt."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Final

from jobplane.execution.running import current

_MAX_SECONDS: Final = 31_536_000  # a year, as the stores have it


class Snooze(Exception):
    """Run this job again after a number of seconds; the attempt is not counted."""

    def __init__(self, after: float | timedelta) -> None:
        self.after = seconds_of(after, "a snooze")
        super().__init__(f"Snoozed for {self.after:g} s.")


class Retry(Exception):
    """This attempt failed; the next one starts after a number of seconds instead of the definition's backoff."""

    after: float | None = None  # also of a class whose own __init__ forgets ours

    def __init__(self, reason: str = "", *, after: float | timedelta | None = None) -> None:
        self.reason = reason
        self.after = None if after is None else seconds_of(after, "a retry")
        super().__init__(reason or "The handler asked for another attempt.")


class Fail(Exception):
    """This job failed for good: trying again cannot help."""

    reason = ""

    def __init__(self, reason: str = "") -> None:
        self.reason = reason
        super().__init__(reason or "The handler failed, and another attempt cannot help.")


class Canceled(Exception):
    """Raised by `ctx.checkpoint()`: somebody wants this job to stop. Clean up and let it pass."""


class LeaseLost(Exception):
    """Raised by `ctx.checkpoint()`: the lease is lost, and nothing of this attempt counts any more."""


class DeadlinePassed(BaseException):
    """The attempt has had its `timeout_seconds`. Clean up and let it pass.

    Raised in a `def` handler at its deadline, wherever it is in Python code, and by `ctx.checkpoint()`. It is not an
    `Exception`: `except Exception` in a handler does not catch it.
    """

    def __init__(self, message: str | None = None) -> None:
        super().__init__(_describe_own_timeout() if message is None else message)


class Interrupted(Exception):
    """Raised by `ctx.checkpoint()`: the worker is stopping. Let it pass: the attempt is given back."""


def describe_timeout(seconds: float | None) -> str:
    """The error text of an attempt that ran past its timeout, the same for every kind of handler."""
    return "Job exceeded its timeout." if seconds is None else f"Job exceeded its timeout of {_plain(seconds)} s."


def _describe_own_timeout() -> str:
    """The text for the attempt that runs here: Python makes the exception of a deadline without arguments."""
    attempt = current.get()
    return describe_timeout(None if attempt is None else attempt.job.timeout_seconds)


def _plain(seconds: float) -> str:
    """Without an exponent, and without zeros at the end of a fraction."""
    return str(seconds) if isinstance(seconds, int) else f"{seconds:.3f}".rstrip("0").rstrip(".")


def seconds_of(duration: float | timedelta, name: str) -> float:
    """A duration in seconds; raises ValueError for one that no store can keep."""
    seconds = duration.total_seconds() if isinstance(duration, timedelta) else float(duration)
    if not math.isfinite(seconds) or not 0 <= seconds <= _MAX_SECONDS:
        raise ValueError(f"The time of {name} must be between 0 and {_MAX_SECONDS} seconds, not {seconds:g}.")
    return seconds
