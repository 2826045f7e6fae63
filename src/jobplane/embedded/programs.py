"""Programs that run beside us until they end, out of reach of the keyboard."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

KEYBOARD = frozenset({signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM})
# To ignore a signal that is held back forgets it.
FORGET = "trap '' HUP INT QUIT TERM; trap - HUP INT QUIT TERM; exec \"$@\""


class RunOptions(TypedDict, total=False):
    cwd: str
    env: Mapping[str, str]
    umask: int
    pass_fds: Sequence[int]
    user: int
    group: int
    extra_groups: Sequence[int]


def run_apart(
    command: Sequence[str | Path], *, stdin: str = "", **options: Unpack[RunOptions]
) -> subprocess.CompletedProcess[str]:
    """Run to the end in a session of its own: signals to our group, as from a keyboard, are for us alone.

    Before it has its session it is in our group still: what arrives in that moment is held back, then forgotten. The
    programs of PostgreSQL let signals through again by themselves.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, KEYBOARD)
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", FORGET, "sh", *command], text=True, errors="replace", start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
        )  # fmt: skip
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    with process:
        try:
            stdout, stderr = process.communicate(stdin)
        except BaseException:
            process.kill()
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
