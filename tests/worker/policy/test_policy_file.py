"""What a policy file may say, and the sentence for each mistake in one."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from uuid import UUID

import pytest

from jobplane.core.references import Reference
from jobplane.execution.policy_file import InvalidPolicy
from jobplane.worker.policy import Limits, Policy, load_policy

ME = pwd.getpwuid(os.geteuid()).pw_name
HASH = f'hash = "sha256:{"0" * 64}"\n'
TOP = f'user = "{ME}"\n'
TENANT = UUID("0199c0de-0000-7000-8000-000000000001")


def load(tmp_path: Path, text: str) -> Policy:
    path = tmp_path / "policy.toml"
    path.write_text(text)
    path.chmod(0o600)
    return load_policy(path)


def refusal(tmp_path: Path, text: str) -> InvalidPolicy:
    with pytest.raises(InvalidPolicy) as refused:
        load(tmp_path, text)
    assert refused.value.facts["file"] == str(tmp_path / "policy.toml")
    return refused.value


def test_a_command_has_the_defaults_where_its_table_says_nothing(tmp_path: Path) -> None:
    command = load(tmp_path, f"{TOP}[commands.sync]\n{HASH}").commands["sync"]

    assert command.user.name == ME
    assert command.environment == {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    assert command.grace_seconds == 10
    assert command.limits == Limits(open_files=1024)
    assert command.work_dir.name == f"jobplane-{os.geteuid()}"


def test_a_command_takes_from_the_top_what_its_table_does_not_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("SECRET_OF_THE_WORKER", "hunter2")
    limits = "[limits]\nprocesses = 5\nmemory_bytes = 2097152\n"
    top = f'{TOP}environment = ["LANG", "NOT_SET"]\nwork_dir = "/var/work"\n{limits}'
    own = 'work_dir = "/srv/work"\nenvironment = {MODE = "night"}\n[commands.sync.limits]\nmemory_bytes = "none"\n'

    command = load(tmp_path, f"{top}[commands.sync]\n{HASH}{own}").commands["sync"]

    assert command.environment == {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "MODE": "night"}
    assert command.work_dir == Path("/srv/work")
    assert command.limits == Limits(open_files=1024, processes=5)


def test_secrets_of_definitions_and_of_payloads_are_apart(tmp_path: Path) -> None:
    lists = 'secrets = ["env:APP_"]\npayload_secrets = ["file:/run/t/{tenant_id}/"]\n'

    policy = load(tmp_path, f"{lists}{TOP}[commands.sync]\n{HASH}")

    ours, theirs = Reference("env", "APP_TOKEN"), Reference("file", f"/run/t/{TENANT}/token")
    allowed = [
        (policy.secrets.allows(each, TENANT), policy.payload_secrets.allows(each, TENANT)) for each in (ours, theirs)
    ]
    assert allowed == [(True, False), (False, True)]
    assert policy.commands["sync"].secrets.prefixes == ("env:APP_",)


def test_a_reference_may_be_allowed_only_under_a_prefix_and_never_climbs(tmp_path: Path) -> None:
    lists = 'secrets = ["env:APP_", "file:/run/t/{tenant_id}/"]\n'
    secrets = load(tmp_path, f"{lists}{TOP}[commands.sync]\n{HASH}").commands["sync"].secrets

    named = ["env:APP_X", "env:OTHER", "file:/run/t/anything/x", "file:/run/t/../x", "file:/etc/passwd"]
    found = [
        secrets.may_allow(Reference("env" if text[0] == "e" else "file", text.partition(":")[2])) for text in named
    ]

    assert found == [True, False, True, False, False]


@pytest.mark.parametrize(
    ("text", "key", "sentence"),
    [
        ('usr = "x"\n', "usr", 'Did you mean "user"?'),
        (f"[commands.sync]\n{HASH}grace_second = 3\n", "commands.sync.grace_second", 'Did you mean "grace_seconds"?'),
        (f"[commands.sync]\n{HASH}[commands.sync.limits]\nfiles = 3\n", "commands.sync.limits.files", "open_files"),
        ("[commands.sync]\n", "commands.sync.hash", "`jobplane policy write` writes it."),
        ('[commands.sync]\nhash = "sha256:abc"\n', "commands.sync.hash", "64 hex digits"),
        (f'[commands."a b"]\n{HASH}', 'commands."a b"', "commands"),
        (f"[commands.sync]\n{HASH}grace_seconds = 601\n", "commands.sync.grace_seconds", "601"),
        (f"[commands.sync]\n{HASH}grace_seconds = nan\n", "commands.sync.grace_seconds", "grace_seconds"),
        ('work_dir = "work"\n', "work_dir", "Write an absolute path"),
        ('environment = ["A-B"]\n', "environment.0", "letters, digits and underscore"),
        ('environment = ["JOBPLANE_API_KEY"]\n', "environment.0", "jobplane's own settings"),
        ("[limits]\nprocesses = 0\n", "limits.processes", "0"),
        ('[limits]\nmemory_bytes = "much"\n', "limits.memory_bytes", "much"),
        ('secrets = ["APP_"]\n', "secrets", '"env:" or "file:/"'),
        ('payload_secrets = ["file:/run/../etc"]\n', "payload_secrets", '".."'),
        (f'[commands.sync]\n{HASH}group = "no-such-group"\n', "commands.sync.user", "no-such-group"),
    ],
)  # fmt: skip
def test_a_mistake_is_refused_with_its_key_and_what_to_write(
    tmp_path: Path, text: str, key: str, sentence: str
) -> None:
    error = refusal(tmp_path, TOP + text if not text.startswith("usr") else text)

    assert error.facts["key"] == key
    assert sentence in error.message
    assert error.message.endswith((".", "?"))


def test_the_value_of_a_variable_is_not_repeated(tmp_path: Path) -> None:
    text = f'{TOP}[commands.sync]\n{HASH}environment = {{TOKEN = "hunter2\\u0000"}}\n'

    assert "hunter2" not in refusal(tmp_path, text).message


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    assert "policy.toml cannot be used." in refusal(tmp_path, "user = \n").message
