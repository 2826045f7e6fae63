"""Lets a run ignore signals, as under nohup or in the background of a script, without its children ignoring them too.

A program inherits which signals its parent ignores, and tests that interrupt a program would wait for nothing. It does
not inherit handlers: `exec` sets a signal with a handler back to its default.
"""

import os
import signal
from collections.abc import Iterable
from types import FrameType
from typing import Final

SIGNALS: Final = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT)
# Test processes of xdist are programs that the first process starts, so it tells them what it was told to ignore.
_GIVEN: Final = "JOBPLANE_TEST_IGNORED_SIGNALS"


def pytest_configure() -> None:
    """Replace each ignored signal by a handler that does nothing, before any test can start a program."""
    told = {int(number) for number in os.environ.get(_GIVEN, "").split()}
    ignored = [number for number in SIGNALS if number in told or signal.getsignal(number) is signal.SIG_IGN]
    if not ignored:
        return
    os.environ[_GIVEN] = " ".join(str(int(number)) for number in ignored)
    for number in ignored:
        signal.signal(number, _ignore)
    os.register_at_fork(after_in_child=lambda: _reset(ignored))


def _ignore(_number: int, _frame: FrameType | None) -> None:
    """The run goes on."""


def _reset(ignored: Iterable[signal.Signals]) -> None:
    """The defaults of Python, for a child that goes on in a fork."""
    for number in ignored:
        signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)
