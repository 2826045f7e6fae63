"""System calls of Linux for the launcher and its keepers. Elsewhere they do nothing."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

_SET_PDEATHSIG: Final = 1
_SET_CHILD_SUBREAPER: Final = 36
_SET_NO_NEW_PRIVS: Final = 38
_LAST_DESCRIPTOR: Final = (1 << 31) - 1  # os.closerange is one system call
RSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024  # bytes of one in ru_maxrss

_libc: Final = ctypes.CDLL(None, use_errno=True)


def adopt_descendants() -> None:
    """Become the parent of all descendants whose own parents end."""
    _prctl(_SET_CHILD_SUBREAPER, 1)


def die_with_parent(number: signal.Signals) -> None:
    """Get this signal when the parent ends. A change of user takes that back, so it comes after one."""
    _prctl(_SET_PDEATHSIG, number)


def renounce_privileges() -> None:
    """No program that this process executes can gain privileges, be it set-uid or not."""
    _prctl(_SET_NO_NEW_PRIVS, 1)


def offer_to_the_oom_killer(adjustment: int) -> None:
    """Make the kernel choose this process, and what it starts, before its parent when memory is short."""
    with suppress(OSError):
        file = Path("/proc/self/oom_score_adj")
        file.write_text(str(min(int(file.read_text()) + adjustment, 1000)))


def close_all_but(*kept: int) -> None:
    """Close all descriptors from 3 on, except these."""
    first = 3
    for descriptor in sorted({each for each in kept if each >= first}):
        os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, _LAST_DESCRIPTOR)


def reset_signals() -> None:
    """Every signal has its default effect, and none is blocked. What is ignored would stay ignored after exec."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        with suppress(OSError):  # the C library keeps two for itself
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux" and _libc.prctl(option, value, 0, 0, 0) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
