from __future__ import annotations

import os
import subprocess
import sys
from threading import Event
from typing import Final

from tests import programs

LONG: Final = 300_000  # more than a pipe takes at once
WRITES: Final = """
import sys
from jobplane.telemetry.outlet import Outlet

outlet = Outlet(int(sys.argv[1]))
outlet.write(sys.argv[2].encode() * int(sys.argv[3]) + b"\\n")
outlet.wait(60)
"""


def test_a_reader_that_stands_still_tears_no_line() -> None:
    reads, writes = os.pipe()
    writers = [_writer(writes, letter) for letter in "ab"]
    os.close(writes)
    with os.fdopen(reads, "rb") as stream:
        first = stream.read(1)
        Event().wait(2)
        lines = (first + stream.read()).split()

    assert sorted("".join({*line.decode()}) for line in lines) == ["a", "b"]
    assert [writer.wait() for writer in writers] == [0, 0]


def _writer(descriptor: int, letter: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITES, str(descriptor), letter, str(LONG)]
    return programs.start(command, pass_fds=[descriptor])
