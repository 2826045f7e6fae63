"""The command of the demo: a script, the definition that starts it, and a policy that allows it."""

from __future__ import annotations

import json
import os
import pwd
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import click

from jobplane import Jobplane
from jobplane.core.errors import Invalid
from jobplane.core.model import Document

KEY: Final = "export-orders"
_SCHEMA: Final[Document] = {
    "type": "object",
    "properties": {
        "orders": {"type": "integer", "minimum": 0, "title": "Orders"},
        "gifts": {"type": "boolean", "title": "Gifts only"},
    },
    "required": ["orders"],
    "additionalProperties": False,
}
_SCRIPT: Final = """\
#!/bin/sh
# The command of `jobplane up --demo`. It only prints, and waits between the lines.
set -eu
orders=0 what=orders
for argument in "$@"; do
    case $argument in
        --orders=*) orders=${argument#--orders=} ;;
        --gifts) what=gifts ;;
    esac
done
if [ "$JOBPLANE_ATTEMPT" = 1 ] && [ $((orders % 9)) = 0 ]; then
    echo "The shop does not answer. The exit code 75 means: try again." >&2
    exit 75
fi
page=0 pages=$((orders % 4 + 2))
while [ $page -lt $pages ]; do
    sleep 1
    page=$((page + 1))
    echo "Page $page of $pages: $what of order $orders."
    echo "{\\"jobplane\\": {\\"progress\\": $((page * 100 / pages))e-2, \\"message\\": \\"page $page of $pages\\"}}"
done
echo "{\\"jobplane\\": {\\"result\\": {\\"pages\\": $pages}}}"
"""


@contextmanager
def allowed_command(admin_url: str) -> Generator[Path | None]:
    """Make the command, and answer its policy until the block ends; None where this machine cannot run it."""
    if sys.platform != "linux":
        yield None
        return
    with TemporaryDirectory(prefix="jobplane-demo-") as name:
        try:
            policy = _prepare(Path(name), admin_url)
        except Invalid as error:
            click.echo(f"The demo has no command. {error.message}", err=True)
            policy = None
        yield policy


def _prepare(directory: Path, admin_url: str) -> Path:
    from jobplane.worker.policy import load_policy
    from jobplane.worker.policy.pinning import pin

    script = directory / KEY
    script.write_text(_SCRIPT, "utf-8")
    script.chmod(0o755)
    definition = _definition(str(script))
    policy = directory / "policy.toml"
    policy.write_text(_policy(directory, pin(definition)), "utf-8")
    policy.chmod(0o600)
    load_policy(policy)
    with Jobplane(admin_url) as operator:
        operator.put_queues(["exports"])
        operator.put_definitions([definition])
    return policy


def _definition(executable: str) -> Document:
    return {
        "key": KEY,
        "kind": "command",
        "queue": "exports",
        "description": "Prints pages of orders: a command, which only a worker's policy allows to run.",
        "arg_schema": _SCHEMA,
        "command": {
            "executable": executable,
            "argv": ["--orders={orders}", {"flag": "--gifts", "if": "gifts"}],
            "exit_codes": {"75": "retry"},
        },
        "timeout_seconds": 60,
        "backoff": {"base": 2.0, "factor": 2.0, "cap": 10.0, "jitter": 0.5},
    }


def _policy(directory: Path, content_hash: str) -> str:
    """A policy as a person would write it. A worker that is root needs a user; here it is root itself."""
    user = f"user = {json.dumps(pwd.getpwuid(0).pw_name)}\n" if os.geteuid() == 0 else ""
    work_dir = json.dumps(str(directory / "work"), ensure_ascii=False)
    return f'{user}work_dir = {work_dir}\n\n[commands.{KEY}]\nhash = "{content_hash}"\n'
