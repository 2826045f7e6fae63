"""Programs that a test starts; whatever is left of them when the test is over is killed, however it ended."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

_started: list[subprocess.Popen[str]] = []


def start(command: Sequence[str], **how: Any) -> subprocess.Popen[str]:
    """Start a program in a session of its own. What it reads and writes is text."""
    process = subprocess.Popen(command, text=True, start_new_session=True, **how)
    _started.append(process)
    return process


def running() -> list[subprocess.Popen[str]]:
    """Those that were started and have not been ended."""
    return list(_started)


def end_all() -> None:
    """Kill the groups of all started programs, and close their pipes."""
    while _started:
        process = _started.pop()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()
