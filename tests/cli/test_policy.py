"""`jobplane policy`: write the hashes of commands into the policy file, and compare them."""

from __future__ import annotations

import json
import os
import pwd
import stat
from pathlib import Path
from typing import Any

import pytest

from jobplane.worker.policy import load_policy
from tests.cli.command import Answer, jobplane
from tests.cli.desk import Desk

ME = pwd.getpwuid(os.geteuid()).pw_name
USER = f'user = "{ME}"\n'


class Machine:
    """A machine with executables and a policy file, and commands in the database."""

    def __init__(self, desk: Desk, directory: Path) -> None:
        self.desk = desk
        self.directory = directory
        self.file = directory / "policy.toml"

    def install(self, name: str, text: str = "#!/bin/sh\n") -> Path:
        path = self.directory / name
        path.write_text(text)
        path.chmod(0o755)
        return path

    def define(self, key: str, **command: Any) -> None:
        """A command whose executable is installed, unless another one is named."""
        given = {"executable": str(self.directory / key), "argv": ["{n}"], **command}
        if given["executable"] == str(self.directory / key):
            self.install(key)
        schema = {"type": "object", "properties": {"n": {"type": "string"}}, "additionalProperties": False}
        self.desk.store.put_definitions([{"key": key, "arg_schema": schema, "command": given}])

    def run(self, *words: str) -> Answer:
        return self.desk.run("policy", *words, "--file", str(self.file))

    def states(self) -> dict[str, str]:
        found = json.loads(self.run("check", "-o", "json").out)
        return {row["key"]: row["state"] for row in found["items"]}


@pytest.fixture
def machine(desk: Desk, tmp_path: Path) -> Machine:
    return Machine(desk, tmp_path)


def test_a_new_file_names_every_command_and_explains_itself(machine: Machine) -> None:
    machine.define("backup")
    machine.define("sync")

    done = machine.run("write")

    assert (done.code, done.err.splitlines()[0]) == (0, f"{machine.file}: 2 added; written.")
    lines = done.out.splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["added      backup", "added      sync"]
    assert f'    executable: "{machine.directory}/backup"' in lines
    assert '    argv: ["{n}"]' in lines
    assert stat.S_IMODE(machine.file.stat().st_mode) == 0o600
    machine.file.write_text(machine.file.read_text().replace('#user = "jobs"', USER, 1))
    assert list(load_policy(machine.file).commands) == ["backup", "sync"]
    assert machine.states() == {"backup": "ready", "sync": "ready"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only a worker that is root needs to name a user")
def test_a_file_that_no_worker_can_use_yet_is_written_and_what_is_missing_is_said(machine: Machine) -> None:
    machine.define("backup")

    written, checked = machine.run("write"), machine.run("check")

    missing = f"Invalid commands.backup.user in {machine.file}. It is required, because this worker is root."
    assert (written.code, checked.code) == (0, 2)
    assert f"No worker can use it yet. {missing}" in written.err
    assert checked.err.startswith(f"jobplane: invalid_policy: {missing}")


HAND_WRITTEN = f"""\
# Ours, do not touch.
environment = ["LANG"]   # only this
{USER}
[limits]
processes = 50

[commands.backup]   # asked for by Ada
  hash   =   'sha256:{"0" * 64}'   # checked on Monday
grace_seconds = 30
[commands.backup.limits]
memory_bytes = 2_000_000

[commands."other.one"]
# not installed here
hash = "sha256:{"1" * 64}"
"""


def test_only_the_hash_of_a_command_changes_and_new_tables_come_last(machine: Machine) -> None:
    machine.define("backup")
    machine.define("sync.all")
    machine.file.write_text(HAND_WRITTEN)
    machine.file.chmod(0o640)

    done = machine.run("write")

    assert (done.code, done.err) == (0, f"{machine.file}: 1 added, 1 changed; written.\n")
    text = machine.file.read_text()
    entries = load_policy(machine.file).commands
    assert text == (
        HAND_WRITTEN.replace(f"'sha256:{'0' * 64}'", f'"{entries["backup"].hash}"')
        + f'\n[commands."sync.all"]\nhash = "{entries["sync.all"].hash}"\n'
    )
    assert f"    hash: sha256:{'0' * 64} → {entries['backup'].hash}" in done.out.splitlines()
    assert stat.S_IMODE(machine.file.stat().st_mode) == 0o640
    assert sorted(path.name for path in machine.directory.iterdir() if "policy" in path.name) == ["policy.toml"]


def test_a_second_write_changes_nothing(machine: Machine) -> None:
    machine.define("backup")
    machine.run("write")
    before = machine.file.stat()

    done = machine.run("write")

    assert (done.code, done.out) == (0, "unchanged  backup\n")
    assert done.err == f"{machine.file}: 1 unchanged; nothing was written.\n"
    assert machine.file.stat() == before


def test_only_the_commands_that_are_named_are_written(machine: Machine) -> None:
    machine.define("backup")
    machine.define("sync")
    machine.file.write_text(USER)

    assert machine.run("write", "sync").code == 0

    assert machine.states() == {"sync": "ready", "backup": "not_allowed"}


def test_a_dry_run_prints_the_changes_and_writes_nothing(machine: Machine) -> None:
    machine.define("backup")

    done = machine.run("write", "--dry-run")

    assert done.code == 0
    assert done.out.splitlines()[0] == "added      backup"
    assert done.err == f"{machine.file}: 1 added; nothing was written.\n"
    assert not machine.file.exists()


@pytest.mark.parametrize(
    ("key", "code", "exit_code"),
    [
        ("report", "not_a_command", 2),
        ("nothing", "definition_not_found", 3),
        ("absent", "executable_missing", 2),
        ("open", "executable_unsafe", 2),
        ("telling", "command_masked", 2),
    ],
)
def test_one_command_that_cannot_be_pinned_is_an_error_and_nothing_is_written(
    machine: Machine, key: str, code: str, exit_code: int
) -> None:
    machine.define("backup")
    machine.define("absent", executable=str(machine.directory / "gone"))
    machine.define("open")
    (machine.directory / "open").chmod(0o777)
    machine.define("telling", environment={"API_TOKEN": "s3cr3t"})
    machine.file.write_text(USER)

    done = machine.run("write", "backup", key)

    assert (done.code, done.err.split(": ")[1], done.out) == (exit_code, code, "")
    assert key in done.err
    assert machine.file.read_text() == USER


def test_a_file_in_another_style_is_left_alone_and_the_hashes_are_printed(machine: Machine) -> None:
    machine.define("backup")
    text = f'{USER}commands = {{other = {{hash = "sha256:{"0" * 64}"}}}}\n'
    machine.file.write_text(text)

    done = machine.run("write")

    assert (done.code, done.err.split(": ")[1]) == (2, "invalid_policy")
    assert '[commands.backup]\nhash = "sha256:' in done.err
    assert machine.file.read_text() == text


def test_a_check_says_the_state_of_each_command(machine: Machine) -> None:
    for key in ("as-it-was", "changed", "gone", "moved", "replaced", "unsafe"):
        machine.define(key)
    machine.file.write_text(USER)
    machine.run("write")
    machine.define("new")
    machine.define("changed", argv=["--all", "{n}"])
    machine.desk.store.delete_definition("gone")
    (machine.directory / "moved").unlink()
    machine.install("replaced", "#!/bin/sh\nexec evil\n")
    (machine.directory / "unsafe").chmod(0o775)

    url = {"JOBPLANE_DATABASE_URL": machine.desk.url}
    done = jobplane("policy", "check", "--file", str(machine.file), **url)  # knows nothing of what was written

    rows = [line.split(maxsplit=3) for line in done.out.splitlines()[1:]]
    assert done.code == 1
    assert {key: (state, user) for key, state, user, _ in rows} == {
        "as-it-was": ("ready", ME),
        "changed": ("content_changed", ME),
        "gone": ("definition_missing", ME),
        "moved": ("executable_missing", ME),
        "replaced": ("content_changed", ME),
        "unsafe": ("executable_unsafe", ME),
        "new": ("not_allowed", "-"),
    }
    assert "jobplane policy write changed" in done.out


def test_a_secret_that_the_policy_does_not_allow_is_said_before_a_job_needs_it(machine: Machine) -> None:
    machine.define("backup", environment={"TOKEN": "env:APP_TOKEN"}, files={"key": "file:/run/t/x/key"})
    machine.file.write_text(USER)

    written, before = machine.run("write"), machine.run("check")
    with machine.file.open("r+") as file:
        rest = file.read()
        file.seek(0)
        file.write('secrets = ["env:APP_", "file:/run/t/{tenant_id}/"]\n' + rest)

    sentence = 'The definition "backup" names the secret env:APP_TOKEN, which the policy does not allow.'
    assert f"backup cannot run yet (secret_not_allowed). {sentence}" in written.err
    assert (before.code, before.out.split()[5]) == (1, "secret_not_allowed")
    assert machine.states() == {"backup": "ready"}


def test_a_new_file_has_the_user_that_is_named(machine: Machine) -> None:
    machine.define("backup")

    nobody = machine.run("write", "--user", "no-such-user")
    done = machine.run("write", "--user", ME)
    again = machine.run("write", "--user", ME)

    assert (nobody.code, nobody.err.split(": ")[1]) == (2, "invalid_policy")
    assert done.code == 0
    assert load_policy(machine.file).commands["backup"].user.name == ME
    assert (again.code, again.err.split(": ")[1]) == (2, "invalid_policy")
    assert f'Write user = "{ME}" into it yourself.' in again.err


def test_a_check_of_what_is_as_it_should_be_ends_with_0(machine: Machine) -> None:
    machine.define("backup")
    machine.file.write_text(USER)
    machine.run("write")
    machine.define("new")

    done = machine.run("check", "-o", "json")

    assert done.code == 0
    assert json.loads(done.out)["file"] == str(machine.file)
    assert [row["state"] for row in json.loads(done.out)["items"]] == ["ready", "not_allowed"]


def test_the_setting_names_the_file(machine: Machine) -> None:
    machine.define("backup")

    assert machine.desk.run("policy", "write", JOBPLANE_WORKER_POLICY=str(machine.file)).code == 0
    unnamed = machine.desk.run("policy", "check")

    assert machine.file.exists()
    assert (unnamed.code, unnamed.err.split(": ")[1]) == (2, "invalid_config")


def test_a_link_to_the_file_stays_a_link(machine: Machine) -> None:
    machine.define("backup")
    machine.file.write_text(USER)
    link = machine.directory / "link.toml"
    link.symlink_to(machine.file)

    assert machine.desk.run("policy", "write", "--file", str(link)).code == 0

    assert link.is_symlink()
    assert list(load_policy(machine.file).commands) == ["backup"]


def test_a_file_that_others_may_write_to_is_not_written(machine: Machine) -> None:
    machine.define("backup")
    machine.file.write_text(USER)
    machine.file.chmod(0o666)

    done = machine.run("write")

    assert (done.code, done.err.split(": ")[1]) == (2, "invalid_policy")
    assert machine.file.read_text() == USER


def test_a_new_file_is_not_written_to_a_directory_of_others(machine: Machine) -> None:
    machine.define("backup")
    open_to_all = machine.directory / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)

    done = machine.desk.run("policy", "write", "--file", str(open_to_all / "policy.toml"))

    assert (done.code, done.err.split(": ")[1]) == (2, "invalid_policy")
    assert list(open_to_all.iterdir()) == []
