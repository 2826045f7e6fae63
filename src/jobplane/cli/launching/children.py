"""The processes of `jobplane up`: started, restarted when they die, stopped in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import click

from jobplane.core.errors import JobplaneError
from jobplane.worker.fleet.backoff import RestartBackoff

LAUNCHER: Final = "JOBPLANE_LAUNCHER"
# A process that ends within this time, at its first start, cannot run at all: its own message says why.
FIRST_SECONDS: Final = 5.0
_LOOK_SECONDS: Final = 0.2


class ChildFailed(JobplaneError):
    """A process of `jobplane up` ended at its start, for the reason that it has printed."""

    code = "child_failed"


@dataclass
class Child:
    """One command of ours as a process. It has a session of its own: Ctrl-C reaches the launcher alone."""

    name: str
    words: Sequence[str]
    env: Mapping[str, str]
    keep: tuple[int, ...] = ()
    grace_seconds: float = 30.0
    _process: subprocess.Popen[bytes] | None = None
    _started_at: float = 0.0
    _start_at: float = 0.0
    _starts: int = 0
    _backoff: RestartBackoff = field(default_factory=RestartBackoff)

    def look(self) -> None:
        """Start it if it does not run and its pause is over; raises ChildFailed where it could never start."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._start_at:
                self._start(now)
        elif (code := self._process.poll()) is not None:
            self._process = None
            self._end(code, now)

    def _start(self, now: float) -> None:
        env = {**os.environ, **self.env, LAUNCHER: str(os.getpid())}
        command = [sys.executable, "-m", "jobplane", *self.words]
        self._process = subprocess.Popen(command, env=env, pass_fds=self.keep, start_new_session=True)
        self._started_at, self._starts = now, self._starts + 1

    def _end(self, code: int, now: float) -> None:
        lived = now - self._started_at
        if self._starts == 1 and lived < FIRST_SECONDS and code > 0:
            raise ChildFailed(
                f"The {self.name} has ended with exit code {code}. Its own message above says why.", exit_code=code
            )
        self._backoff.record_death(lived)
        self._start_at = now + self._backoff.delay()
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        click.echo(f"The {self.name} has ended with {how}. It starts again.", err=True)

    def stop(self) -> None:
        """Ask it to stop, and kill it when its grace time is over."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(self.grace_seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def run_children(children: Sequence[Child], stopped: threading.Event) -> None:
    """Keep the children running until `stopped` is set, then stop them in reverse order, one after the other."""
    try:
        while not stopped.is_set():
            for child in children:
                child.look()
            stopped.wait(_LOOK_SECONDS)
    finally:
        click.echo("Stopping.", err=True)
        for child in reversed(children):
            child.stop()
