"""The command line as a process of its own, as users run it."""

import os
import subprocess
import sys
from dataclasses import dataclass

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
