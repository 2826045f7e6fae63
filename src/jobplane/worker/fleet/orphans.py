"""Reap orphans of handlers, as PID 1 or as a subreaper."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Container
from contextlib import suppress
from pathlib import Path
from typing import Final

_GET_CHILD_SUBREAPER: Final = 37


def adopts_orphans() -> bool:
    """Whether orphans become children of this process: as PID 1 of a container, or as a subreaper."""
    return os.getpid() == 1 or _is_subreaper()


def bury(ours: Container[int]) -> None:
    """Reap every child that has ended, except `ours` and children in this program's own session."""
    session = os.getsid(0)
    for pid in _children():
        with suppress(ChildProcessError, ProcessLookupError):
            if pid not in ours and os.getsid(pid) != session:
                os.waitpid(pid, os.WNOHANG)


def _children() -> list[int]:
    """The children of this process; none where the kernel cannot list them."""
    with suppress(OSError):
        return [
            int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()
        ]
    return []


def _is_subreaper() -> bool:
    answer = ctypes.c_int(0)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
    return bool(answer.value)
