"""What a reader has open: one psql for the whole page, and a shell."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from jobplane.embedded import find_binaries
from tests.docs.page import Block, comparable

MARK: Final = "-- end of block --"
PG_BIN: Final = os.environ.get("JOBPLANE_TEST_PG_BIN")


def programs() -> Path:
    """Where psql is: beside the server's own programs."""
    return find_binaries(Path(PG_BIN) if PG_BIN else None).bin


def environment(**extra: str) -> dict[str, str]:
    """Ours without what would change the pages' meaning, and with jobplane and psql in the path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JOBPLANE_", "PG"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), str(programs()), kept.get("PATH", "")])
    return {**kept, "PATH": path, "LC_ALL": "C", **extra}


def psql(url: str, blocks: Sequence[Block], **variables: str) -> list[str]:
    """What one session prints for each block; it goes on after an error, as it does for a person."""
    script = "".join(f"{block.text}\n\\echo {MARK}\n" for block in blocks)
    given = [word for name, value in variables.items() for word in ("-v", f"{name}={value}")]
    command = [str(programs() / "psql"), "-X", *given, url]
    outputs = run(command, script, environment()).split(f"{MARK}\n")
    assert len(outputs) == len(blocks) + 1, outputs[-1]
    return outputs[:-1]


def shell(block: Block, directory: Path, variables: Mapping[str, str]) -> str:
    """What one block of commands prints, on both streams."""
    return run(["bash", "-euo", "pipefail"], block.text, environment(**variables), directory)


def run(command: Sequence[str], text: str, env: Mapping[str, str], directory: Path | None = None) -> str:
    done = subprocess.run(
        command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=60,
        env=dict(env), cwd=directory,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def check(block: Block, output: str) -> None:
    """The output is the one that the page shows; where it shows none, nothing has gone wrong."""
    where = f"the block in line {block.line}:\n{block.text}\nprinted\n{output}"
    if block.shown is None:
        assert "ERROR:" not in output, where
    else:
        assert comparable(output) == comparable(block.shown), where
