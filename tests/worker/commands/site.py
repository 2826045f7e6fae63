"""A launcher without a worker: orders go to it directly, and what it reports is recorded."""

from __future__ import annotations

import asyncio
import os
import pwd
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import uuid4

from jobplane.worker.commands.launching import Launcher, RunningCommand
from jobplane.worker.commands.protocol import Order, Report
from jobplane.worker.frames import LogRow, log_bytes

SHELL: Final = os.path.realpath("/bin/sh")
USER: Final = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
PATIENCE_SECONDS: Final = 60.0


class Run:
    """One command. `token` is in the environment of all its processes."""

    def __init__(self, token: str) -> None:
        self.token = token
        self.command: RunningCommand
        self.pid: int | None = None
        self.rows: list[LogRow] = []
        self.progress: list[tuple[float | None, str | None]] = []
        self.report: Report | None = None
        self.how: str | None = None
        self.grants = True
        self.left: list[int] | None = None
        self._stirred = asyncio.Event()

    def on_started(self, pid: int) -> None:
        self.pid = pid
        self._stirred.set()

    def on_lines(self, rows: list[LogRow]) -> None:
        self.rows += rows
        if self.grants:
            self.command.credit(sum(log_bytes(row[4]) for row in rows))
        self._stirred.set()

    def on_progress(self, share: float | None, message: str | None) -> None:
        self.progress.append((share, message))
        self._stirred.set()

    def on_ended(self, report: Report | None, how: str) -> None:
        assert self.how is None, "a command ends once"
        self.report, self.how, self.left = report, how, find_processes(self.token)
        self._stirred.set()

    @property
    def lines(self) -> list[str]:
        """The messages of its log."""
        return [row[4] for row in self.rows]

    async def until(self, reached: Callable[[], object]) -> None:
        """Wait for something that it reports, or that is looked at every 20 ms."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not reached():
                self._stirred.clear()
                try:
                    await asyncio.wait_for(self._stirred.wait(), 0.02)
                except TimeoutError:
                    continue

    async def said(self, line: str) -> None:
        await self.until(lambda: line in self.lines)

    async def ended(self) -> Report:
        """Its report. None of its processes was left when that came."""
        await self.until(lambda: self.how is not None)
        assert self.left == []
        assert self.report is not None, self.how
        return self.report


class Site:
    def __init__(self, launcher: Launcher, directory: Path) -> None:
        self.launcher = launcher
        self.directory = directory
        self.work_dir = directory / "work"
        self._number = 0

    def shell(self, script: str, *arguments: str, **given: Any) -> Run:
        return self.run([SHELL, "-c", script, "sh", *arguments], **given)

    def run(self, argv: list[str], executable: str | None = None, **given: Any) -> Run:
        """Start a command as the user of the tests' policies. `given` replaces fields of the order."""
        run = Run(uuid4().hex)
        self._number += 1
        descriptor = os.open(executable or argv[0], os.O_RDONLY)
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "JOBPLANE_JOB_ID": run.token}
        fields: dict[str, Any] = {
            "name": f"{run.token}-1",
            "seq": self._number,
            "argv": argv,
            "files": {},
            "masks": [],
            "stdin": None,
            "uid": USER.pw_uid,
            "gid": USER.pw_gid,
            "groups": [USER.pw_gid],
            "work_dir": str(self.work_dir),
            "limits": {"open_files": 256},
            "timeout_seconds": None,
            "grace_seconds": 0.3,
            **given,
            "environment": {**environment, **given.get("environment", {})},
        }
        order: Order = fields  # pyright: ignore[reportAssignmentType] a test may leave the types on purpose
        try:
            run.command = self.launcher.run(order, descriptor, run)
            run.command.follow()
        finally:
            os.close(descriptor)
        return run


@asynccontextmanager
async def launched() -> AsyncGenerator[Site]:
    """A launcher with a directory in which every user can make files. Nothing is left of it at the end."""
    with open_directory() as directory:
        launcher = Launcher(lambda *_, **__: None)
        launcher.start()
        try:
            yield Site(launcher, directory)
        finally:
            await launcher.close()
            left = [path.name for path in (directory / "work").glob("*")]
        assert left == []


@contextmanager
def open_directory() -> Generator[Path]:
    with TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o1777)
        yield Path(name).resolve()


def find_processes(token: str) -> list[int]:
    """All living processes that have this text in their environment."""
    found: list[int] = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            is_alive = path.joinpath("stat").read_text().rpartition(") ")[2][0] not in "ZX"
            if is_alive and token.encode() in path.joinpath("environ").read_bytes():
                found.append(int(path.name))
        except OSError:
            continue
    return found
