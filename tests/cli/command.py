"""The command line as a process of its own, as users run it."""

import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from unittest.mock import patch

import pytest

from jobplane.cli import main

COMMAND = [sys.executable, "-m", "jobplane.cli.main"]


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


def environment(**extra: str) -> dict[str, str]:
    """The environment without settings of jobplane, so that a test knows which ones there are."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JOBPLANE_")}
    return {**kept, **extra}


def jobplane(*words: str, **env: str) -> Answer:
    command = [*COMMAND, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environment(**env))
    return Answer(done.returncode, done.stdout, done.stderr)


def within(*words: str, stdin: str = "", **env: str) -> Answer:
    """The same inside this process, which takes a tenth of the time."""
    out, err = StringIO(), StringIO()
    with (
        patch.dict(os.environ, environment(**env), clear=True),
        patch.object(sys, "argv", ["jobplane", *words]),
        patch.object(sys, "stdin", StringIO(stdin)),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as left,
    ):
        main.main()
    code = left.value.code
    assert code is None or isinstance(code, int)
    return Answer(code or 0, out.getvalue(), err.getvalue())
