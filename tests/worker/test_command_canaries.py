"""What the policy of the machine does not name as it is never starts: each program would leave a canary."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pytest

from jobplane import JobStatus
from jobplane.core.model import Definition
from tests.client import BlockingStore
from tests.database import Database
from tests.worker.command_site import SHELL, CommandSite
from tests.worker.commands.site import open_directory
from tests.worker.stage import Stage, Worker, until

pytestmark = pytest.mark.parametrize("any_stage", ["postgres"], indirect=True)


@dataclass
class Trap:
    """A command whose program makes the canary, and is allowed."""

    site: CommandSite
    db: Database
    directory: Path
    definition: Definition
    worker: Worker

    @property
    def canary(self) -> Path:
        return self.directory / "canary"

    @property
    def program(self) -> Path:
        return self.directory / "program"

    def forge(self, command: Mapping[str, Any]) -> None:
        """Write into the row of the definition, as somebody does who may do all with the database."""
        self.db.peek(
            "update jobplane.definitions set command = %s::jsonb where key = 'trap'", json.dumps(dict(command))
        )

    def state(self) -> str | None:
        """What the worker says of the command; None where it does not name it."""
        [worker] = self.site.store.workers()
        policy = cast("Mapping[str, Mapping[str, str]]", worker.metadata["policy"])
        return policy["trap"]["state"] if "trap" in policy else None


@pytest.fixture
def trap(any_stage: Stage, any_store: BlockingStore, db: Database, tmp_path: Path) -> Generator[Trap]:
    site = CommandSite(any_stage, any_store, tmp_path)
    with open_directory() as directory:
        program = directory / "program"
        program.write_text(f'#!{SHELL}\ntouch "$1/canary"\n')
        program.chmod(0o755)
        definition = site.define("trap", str(program), str(directory))
        site.allow(definition)
        yield Trap(site, db, directory, definition, site.started())


def _changed(trap: Trap) -> None:
    trap.site.store.change_definition(
        trap.definition.id, {"command": {**_command(trap), "argv": [], "stdin": "payload"}}
    )


def _forged(trap: Trap) -> None:
    trap.forge({**_command(trap), "argv": [str(trap.directory), "--more"]})


def _relative(trap: Trap) -> None:
    trap.forge({**_command(trap), "executable": "program"})


def _broken(trap: Trap) -> None:
    trap.forge({"executable": 7, "argv": {"no": "list"}})


def _other_hash(trap: Trap) -> None:
    trap.site.allow_hash("trap", "sha256:" + "0" * 64)


def _unknown(trap: Trap) -> None:
    trap.site.forget("trap")


def _other_program(trap: Trap) -> None:
    new = trap.directory / "new"
    new.write_text(trap.program.read_text() + "# another one\n")
    new.chmod(0o755)
    new.replace(trap.program)


def _writable(trap: Trap) -> None:
    trap.program.chmod(0o777)


def _others_own(trap: Trap) -> None:
    os.chown(trap.program, 65534, 65534)


def _missing(trap: Trap) -> None:
    trap.program.unlink()


def _link(trap: Trap) -> None:
    """To the same content, through a directory in which everybody can change the link."""
    loose = trap.directory / "loose"
    loose.mkdir()
    loose.chmod(0o777)
    shutil.move(trap.program, loose / "program")
    trap.program.symlink_to(loose / "program")


def _command(trap: Trap) -> Mapping[str, Any]:
    return trap.definition.command or {}


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.mark.parametrize(
    ("spoil", "state"),
    [
        (_changed, "definition_changed"),
        (_forged, "definition_changed"),
        (_relative, "executable_relative"),
        (_broken, "definition_invalid"),
        (_other_hash, "content_changed"),
        (_unknown, None),
        (_other_program, "executable_changed"),
        (_writable, "executable_unsafe"),
        pytest.param(_others_own, "executable_unsafe", marks=needs_root),
        (_missing, "executable_missing"),
        (_link, "executable_unsafe"),
    ],
)
def test_nothing_starts_and_nothing_is_spent(trap: Trap, spoil: Callable[[Trap], None], state: str | None) -> None:
    assert trap.site.run("trap").status is JobStatus.SUCCEEDED
    assert trap.canary.exists(), "the trap works"
    trap.canary.unlink()

    spoil(trap)
    job = trap.site.enqueue("trap")

    gate = "policy_mismatch" if state else "no_worker"
    until(lambda: trap.site.stage.jp.get(job).held_by == gate)
    until(lambda: trap.state() == state)
    assert trap.site.stage.jp.get(job).attempts == 0
    assert not trap.canary.exists()
