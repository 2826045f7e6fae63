"""Secrets of commands with a real worker: nothing of them is in the database, in the worker's log or in `ps`."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Generator
from pathlib import Path
from typing import Final
from urllib.parse import quote

import pytest

from jobplane import JobStatus
from jobplane.core.model import DEFAULT_TENANT
from tests.client import BlockingStore
from tests.dump import dump_postgres, dump_sqlite
from tests.worker.command_site import CommandSite
from tests.worker.commands.site import open_directory
from tests.worker.stage import Stage, until

OWN: Final = 'own+/"quoted"\\c4nary-9f2'  # of the operator, named by the definition
THEIRS: Final = "theirs/c4nary=7d1+e2"  # of the tenant, named by the payload
SAYS: Final = r"""
    while [ ! -e "$GO" ]; do sleep 0.02; done
    theirs=$(cat theirs)
    printf 'token %s and %s\n' "$TOKEN" "$theirs"; printf '%s\n' "$TOKEN" >&2; printf '%s' "$TOKEN" | base64 -w0; echo
    printf 'half %s' "${TOKEN%???????}"; sleep 0.1; printf '%s\n' "${TOKEN#"${TOKEN%???????}"}"
    head -c 16380 /dev/zero | tr '\000' x; printf '%s\n' "$TOKEN"
    printf '%s' "$theirs" | sed -e 's|/|%2F|g' -e 's|=|%3D|g' -e 's|+|%2B|g'; echo
    echo "{\"jobplane\": {\"progress\": 0.5, \"message\": \"with $theirs\"}}"
    echo "Authorization: Bearer not-a-secret-of-ours"
    printf '["%s"]' "$theirs" > result.json
    echo "The server refused $theirs." >&2; exit "$1"
"""
SCHEMA: Final = {
    "type": "object",
    "properties": {"text": {"type": "string"}, "token": {"type": "string", "writeOnly": True}},
    "additionalProperties": False,
}


@pytest.fixture
def go(monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """The commands wait for this file."""
    with open_directory() as directory:
        monkeypatch.setenv("GO", str(directory / "go"))
        yield directory / "go"


@pytest.fixture
def site(any_stage: Stage, any_store: BlockingStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CommandSite:
    monkeypatch.setenv("CANARY_TOKEN", OWN)
    site = CommandSite(any_stage, any_store, tmp_path)
    secret = tmp_path / "tenants" / str(DEFAULT_TENANT) / "token"
    secret.parent.mkdir(parents=True)
    secret.write_text(f"{THEIRS}\n")
    granted = tmp_path / "tenants" / "{tenant_id}"
    site.head = f'secrets = ["env:CANARY_"]\npayload_secrets = ["file:{granted}/"]\nenvironment = ["GO"]\n'
    return site


def define(site: CommandSite) -> None:
    given = {"environment": {"TOKEN": "env:CANARY_TOKEN"}, "files": {"theirs": "{token}"}}
    site.allow(site.shell("say", SAYS, schema=SCHEMA, **given))


def find_leaks(text: str) -> list[str]:
    """The forms of both secrets that are in a text."""
    forms = [
        form for secret in (OWN, THEIRS) for form in (secret, b64encode(secret.encode()).decode(), quote(secret, ""))
    ]
    return [form for form in [*forms, OWN[:12], OWN[-10:]] if form in text]


def reference(site: CommandSite, name: str = "token") -> str:
    return f"file:{site.directory}/tenants/{DEFAULT_TENANT}/{name}"


def test_no_secret_of_a_command_is_stored_logged_or_shown_by_ps(
    request: pytest.FixtureRequest, site: CommandSite, go: Path
) -> None:
    define(site)
    worker = site.started(log_level="debug")
    jobs = [site.enqueue("say", text=code, token=reference(site)) for code in ("0", "3")]
    until(lambda: _commands("while [ ! -e"))
    shown = _commands("")
    go.touch()
    good, bad = (site.stage.ended(job) for job in jobs)
    worker.stop()
    assert worker.left() == 0

    assert (good.status, good.result, bad.status) == (JobStatus.SUCCEEDED, ["***"], JobStatus.DEAD_LETTER)
    assert (bad.error or "").startswith("The command ended with exit code 3: The server refused ***.")
    assert {"token *** and ***", "half ***", "Authorization: Bearer ***"} <= {*site.lines(good)}
    sqlite = "stage" not in request.fixturenames
    stored = dump_sqlite(site.directory / "jobs.db") if sqlite else dump_postgres(request.getfixturevalue("db"))
    for text in (stored, worker.log(), shown, repr(site.lines(good))):
        assert find_leaks(text) == []


@pytest.mark.parametrize(
    ("token", "status", "reason"),
    [
        ("env:CANARY_TOKEN", JobStatus.FAILED, "secret_not_allowed"),
        ("file:/etc/passwd", JobStatus.FAILED, "secret_not_allowed"),
        ("{here}/../../policy.toml", JobStatus.FAILED, "secret_not_allowed"),
        ("{here}/missing", JobStatus.DEAD_LETTER, "secret_missing"),
    ],
)
def test_a_payload_names_no_secret_but_those_of_its_tenant(
    site: CommandSite, go: Path, token: str, status: JobStatus, reason: str
) -> None:
    define(site)
    go.touch()
    site.started()

    job = site.run("say", text="0", token=token.format(here=reference(site).rpartition("/")[0]))

    assert (job.status, job.reason) == (status, reason)
    assert site.lines(job) == []


def _commands(part: str) -> str:
    """The command lines of all processes, if this part is in them."""
    found = "\n".join(_read(path) for path in Path("/proc").glob("[0-9]*/cmdline") if path.parts[2] != str(os.getpid()))
    return found if part in found else ""


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
