"""Whether a command may run on this machine, and why not."""

from __future__ import annotations

import json
import os
import pwd
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from jobplane.worker.policy import judge_content, judging, load_policy
from jobplane.worker.policy.pinning import pin

ME: Final = pwd.getpwuid(os.geteuid()).pw_name
SCHEMA: Final[dict[str, Any]] = {"type": "object", "properties": {"n": {"type": "string"}}}


class Machine:
    """A machine with one executable, and a policy that allows one command as it is."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.executable = directory / "sync"
        self.install("#!/bin/sh\n")
        self.command: dict[str, Any] = {"executable": str(self.executable), "argv": ["{n}"]}

    def install(self, text: str) -> None:
        """Put another file in the place of the executable, as an upgrade does."""
        written = self.directory / "new"
        written.write_text(text)
        written.chmod(0o755)
        written.replace(self.executable)

    def write(self, top: str = "") -> None:
        """Write a policy for the command as it is."""
        pinned = pin({"key": "sync", "kind": "command", "command": self.command, "arg_schema": SCHEMA})
        text = f"user = {json.dumps(ME)}\n{top}[commands.sync]\nhash = {json.dumps(pinned)}\n"
        (self.directory / "policy.toml").write_text(text)
        (self.directory / "policy.toml").chmod(0o600)

    def judge(self, **changes: Any) -> tuple[str, str]:
        entry = load_policy(self.directory / "policy.toml").commands["sync"]
        schema: Mapping[str, Any] = changes.pop("schema", SCHEMA)
        verdict = judge_content(entry, {**self.command, **changes}, schema)
        return verdict.state, verdict.sentence


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_process_that_has_seen_a_command_ready_says_which_part_has_changed(machine: Machine) -> None:
    machine.write()
    before = machine.judge(argv=["--all"])[0]
    assert machine.judge()[0] == "ready"

    assert before == "content_changed"
    assert machine.judge(argv=["--all"])[0] == "definition_changed"
    assert machine.judge(schema={**SCHEMA, "required": ["n"]})[0] == "definition_changed"
    machine.install("#!/bin/sh\nexec evil\n")
    assert machine.judge()[0] == "executable_changed"
    assert machine.judge(argv=["--all"])[0] == "content_changed"


@pytest.mark.parametrize(
    "change",
    [
        {"argv": ["{n}", "x"]}, {"environment": {"A": "b"}}, {"stdin": "payload"}, {"exit_codes": {"3": "fail"}},
        {"files": {"a": "env:A"}}, {"executable": "/bin/true"}, {"schema": True},
    ],
    ids=lambda change: next(iter(change)),
)  # fmt: skip
def test_every_part_of_a_command_is_pinned(machine: Machine, change: dict[str, Any]) -> None:
    machine.write()

    assert machine.judge(**change)[0] == "content_changed"


def test_an_executable_that_is_gone_or_open_to_others_is_told_apart(machine: Machine) -> None:
    machine.write()
    machine.executable.chmod(0o777)
    unsafe = machine.judge()
    machine.executable.unlink()
    missing = machine.judge()

    assert (unsafe[0], missing[0]) == ("executable_unsafe", "executable_missing")
    assert f"chmod go-w {machine.executable}" in unsafe[1]
    assert machine.judge(executable="sync")[0] == "executable_relative"
    assert machine.judge(executable=None)[0] == "definition_invalid"


def test_a_work_dir_that_others_can_change_is_refused_and_a_missing_one_is_made_later(machine: Machine) -> None:
    work = machine.directory / "work"
    machine.write(f"work_dir = {json.dumps(str(work))}\n")
    before = machine.judge()[0]
    work.mkdir()
    work.chmod(0o777)

    assert (before, machine.judge()[0]) == ("ready", "work_dir_unsafe")
    work.rmdir()
    work.write_text("")
    assert machine.judge()[0] == "work_dir_unsafe"


def test_a_definition_that_names_a_secret_beyond_the_policy_is_not_ready(machine: Machine) -> None:
    machine.command |= {"environment": {"TOKEN": "env:APP_TOKEN"}, "files": {"key": "file:/run/secrets/key"}}
    found: list[str] = []
    for secrets in ([], ["env:APP_"], ["env:APP_", "file:/run/secrets/"]):
        machine.write(f"secrets = {json.dumps(secrets)}\n")
        found.append(machine.judge()[0])

    assert found == ["secret_not_allowed", "secret_not_allowed", "ready"]


def test_what_was_found_ready_is_remembered_within_a_bound(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_MOST_KNOWN", 2)
    monkeypatch.setattr(judging, "_digests", {"a": "1", "b": "2"})
    machine.write()

    machine.judge()

    assert len(judging._digests) == 1  # pyright: ignore[reportPrivateUsage]
