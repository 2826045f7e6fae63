"""A SQLite file that another process keeps to itself."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

# The transaction ends as it is told to: with the job in it, or with nothing.
_PROGRAM: Final = """
import sqlite3, sys
from jobplane import Jobplane
path, key = sys.argv[1:]
conn = sqlite3.connect(path, isolation_level=None, timeout=10)
conn.execute("begin immediate")
if key:
    Jobplane(f"sqlite:///{path}", sqlite="stdlib").enqueue(key, {}, conn=conn)
print("mine", flush=True)
sys.stdin.readline()
conn.execute("commit")
"""


class Keeper:
    """Who has the file, until it lets go."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def let_go(self) -> None:
        self._process.communicate("\n", timeout=10)
        assert self._process.returncode == 0


@contextmanager
def locked(path: Path, *, enqueues: str = "") -> Generator[Keeper]:
    """Until the block ends or somebody lets go; the job that it enqueues is there when it does."""
    command = [sys.executable, "-c", _PROGRAM, str(path), enqueues]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "mine\n"
        try:
            yield Keeper(process)
        finally:
            process.kill()
