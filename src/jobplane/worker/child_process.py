"""A child process in a session of its own, started by exec and watched through a descriptor."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from jobplane.worker.watchdog import kill_group

OOM_ADJUSTMENT = 300  # of 1000: when memory is short an executor goes before the supervisor, which would take all along


class ChildProcess:
    """Started by exec, so that it inherits neither loop nor connection; its session keeps a terminal's signals away.

    To be made on the loop's thread: an executor asks to die with the thread that started it. `handle` is readable once
    the process has ended: a pidfd, or a kqueue where there are none (macOS).
    """

    def __init__(self, arguments: Sequence[str], descriptors: Sequence[int]) -> None:
        command = [sys.executable, *arguments]
        self._child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, pass_fds=tuple(descriptors), start_new_session=True
        )
        self.pid = self._child.pid
        self.pidfd: int | None = None
        self.handle = self._watch()

    def _watch(self) -> int:
        if hasattr(os, "pidfd_open"):
            self.pidfd = os.pidfd_open(self.pid)
            return self.pidfd
        return _kqueue(self.pid)

    def offer_to_the_oom_killer(self) -> None:
        """Make the kernel choose this process first when memory is short. Linux only."""
        with suppress(OSError):
            adjustment = Path(f"/proc/{self.pid}/oom_score_adj")
            adjustment.write_text(str(min(int(adjustment.read_text()) + OOM_ADJUSTMENT, 1000)))

    def kill(self) -> None:
        """Kill the process and its process group."""
        if self._child.returncode is None:
            kill_group(self.pid, self.pidfd)

    def reap(self) -> str:
        """After its end, kill the rest of its process group and return how it ended."""
        self.kill()
        code = self._child.wait()
        os.close(self.handle)
        return describe_exit(code)

    @property
    def exit_code(self) -> int | None:
        """None while it lives; the negative number of a signal."""
        return self._child.returncode


def describe_exit(code: int) -> str:
    """How a process ended, for people."""
    if code >= 0:
        return f"exit code {code}"
    names = {number.value: number.name for number in signal.Signals}
    return f"killed by {names.get(-code, f'signal {-code}')}"


if sys.platform == "darwin":

    def _kqueue(pid: int) -> int:
        """A queue whose one event is the end of the process; its descriptor is handed out."""
        queue = select.kqueue()
        event = select.kevent(pid, select.KQ_FILTER_PROC, select.KQ_EV_ADD, select.KQ_NOTE_EXIT)
        queue.control([event], 0)
        descriptor = os.dup(queue.fileno())
        queue.close()
        return descriptor

else:

    def _kqueue(pid: int) -> int:
        raise OSError(f"this system has neither pidfds nor kqueues: process {pid} cannot be watched")
