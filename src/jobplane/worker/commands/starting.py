"""Start a command: its pipes, its standard input, and the fork that becomes it."""

from __future__ import annotations

import os
import tempfile
from typing import Final, NamedTuple

from jobplane.worker.commands.child import Descriptors, run_child
from jobplane.worker.commands.protocol import Order

_STDIN: Final = "jobplane-stdin"


class Started(NamedTuple):
    """A command that was forked. `fault` ends without data when its program runs, else it has the reason as JSON."""

    pid: int
    stdout: int
    stderr: int
    fault: int


def start_command(order: Order, executable: int, directory: int) -> Started:
    """Fork a command. Raises OSError."""
    stdin = _open_stdin(order["stdin"])
    stdout, stderr, fault = os.pipe(), os.pipe(), os.pipe()
    keeper = os.getpid()
    pid = os.fork()
    if pid == 0:
        run_child(order, Descriptors(executable, directory, stdin, stdout[1], stderr[1], fault[1]), keeper)
    for descriptor in (executable, stdin, stdout[1], stderr[1], fault[1]):
        os.close(descriptor)
    for reader in (stdout[0], stderr[0], fault[0]):
        os.set_blocking(reader, False)
    return Started(pid, stdout[0], stderr[0], fault[0])


def _open_stdin(text: str | None) -> int:
    """A file with the text, open to be read. None: nothing can be read."""
    if text is None:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    writer, path = _make_file()
    try:
        with os.fdopen(os.dup(writer), "wb") as file:
            file.write(text.encode())
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(writer)
        if not path.startswith("/proc/"):
            os.unlink(path)  # noqa: PTH108 a descriptor refers to it from now on


def _make_file() -> tuple[int, str]:
    """A descriptor, and a path by which the same file can be opened again."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create(_STDIN)
        return descriptor, f"/proc/self/fd/{descriptor}"
    return tempfile.mkstemp(prefix=_STDIN)  # macOS
