"""An installation as `jobplane up` starts it, with two tenants and a key for everybody in the cast."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from tests.cli.command import COMMAND, environment
from tests.cli.test_up import PRINTED
from tests.migrations.cluster import PG_BIN
from tests.migrations.processes import until
from tests.ui.command_policy import TEXT, CommandPolicy

# alice and her colleagues are of tenant acme, charlie of tenant globex must see nothing of it, root sees everything.
CAST: Final[Mapping[str, tuple[str, str | None]]] = {
    "alice": ("tenant_admin", "acme"),
    "rita": ("responder", "acme"),
    "bob": ("viewer", "acme"),
    "charlie": ("tenant_admin", "globex"),
    "root": ("super_admin", None),
}


@dataclass(frozen=True)
class Site:
    """Where it is served, the printed values of `up`, and the keys."""

    url: str
    printed: Mapping[str, str]
    keys: dict[str, str]
    policy: CommandPolicy  # of its worker

    def ask(self, who: str, method: str, path: str, body: object = None, tenant: str | None = None) -> Any:
        """The JSON that the API answers; raises HTTPError."""
        headers = {"Authorization": f"Bearer {self.keys[who]}", "Content-Type": "application/json"}
        if tenant is not None:
            headers["X-Jobplane-Tenant"] = tenant
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}/api/v1{path}", data, headers, method=method)
        with urlopen(request, timeout=20) as response:
            text = response.read()
        return json.loads(text) if text else None

    def enqueue(
        self, key: str, /, *, who: str = "alice", options: Mapping[str, Any] | None = None, **payload: Any
    ) -> str:
        """The id of a new job."""
        body = {"definition_key": key, "payload": payload, **(options or {})}
        return self.ask(who, "POST", "/jobs", body)["id"]

    def job(self, job_id: str, who: str = "alice") -> Any:
        return self.ask(who, "GET", f"/jobs/{job_id}")

    def wait(self, job_id: str, *statuses: str, who: str = "alice", seconds: float = 30) -> Any:
        """The job once it has one of these statuses."""
        until(lambda: self.job(job_id, who)["status"] in statuses, seconds)
        return self.job(job_id, who)

    def run(self, key: str, /, *statuses: str, who: str = "alice", **payload: Any) -> str:
        """The id of a job that has come to one of these statuses, or has succeeded."""
        job_id = self.enqueue(key, who=who, **payload)
        self.wait(job_id, *(statuses or ("succeeded",)), who=who)
        return job_id

    def define(self, key: str, executable: str, *argv: Any, allow: bool = True, **more: Any) -> Any:
        """A new command. If it is allowed, the worker runs it when this returns."""
        parts = {name: more.pop(name) for name in ("environment", "files", "stdin", "exit_codes") if name in more}
        command = {"executable": executable, "argv": list(argv), **parts}
        document = {"key": key, "command": command, "arg_schema": TEXT, "max_attempts": 1, **more}
        made = self.ask("root", "POST", "/admin/jobs/definitions", document)
        if allow:
            self.allow(made)
        return made

    def allow(self, definition: Any) -> None:
        """Name the command in the policy as it is now, and wait until the worker runs it."""
        self.policy.allow(definition)
        until(lambda: definition["key"] in self._worker()["definitions"], 30)

    def _worker(self) -> Any:
        return next(each for each in self.ask("root", "GET", "/workers")["items"] if "policy" in each["metadata"])


@contextmanager
def installed(directory: Path, *flags: str) -> Generator[Site]:
    """`jobplane up` with a worker until the block ends."""
    words = ["up", "--dir", str(directory), "--http", "127.0.0.1:0", "--import", "tests.ui.app", *flags]
    policy = CommandPolicy(directory.parent / "policy")
    env = environment(
        JOBPLANE_SERVER_REQUESTS_PER_SECOND="0",
        JOBPLANE_WORKER_PROCESSES="1",
        JOBPLANE_WORKER_POLICY=str(policy.file),
        JOBPLANE_WORKER_COMMANDS="2",
    )
    with (directory.parent / "up.log").open("w") as log:
        command = [*COMMAND, *words, *(["--bin-dir", PG_BIN] if PG_BIN else [])]
        # Not by `programs`: it outlives a test.
        process = subprocess.Popen(
            command, text=True, start_new_session=True, stdout=subprocess.PIPE, stderr=log, env=env
        )
        assert process.stdout is not None
        printed: dict[str, str] = {}
        while not set(PRINTED) <= set(printed):
            name, _, value = process.stdout.readline().strip().partition(" ")
            assert name, (directory.parent / "up.log").read_text()
            printed[name] = value.strip()
        site = Site(printed["http"], printed, {"root": printed["key"]}, policy)
        try:
            _furnish(site)
            yield site
        finally:
            os.kill(process.pid, signal.SIGTERM)
            process.communicate(timeout=60)


def _furnish(site: Site) -> None:
    until(lambda: _answers(site), 60)
    for slug, name in (("acme", "Acme Inc."), ("globex", "Globex")):
        site.ask("root", "POST", "/tenants", {"slug": slug, "name": name})
    for who, (role, tenant) in CAST.items():
        if who != "root":
            made = site.ask("root", "POST", "/keys", {"role": role, "name": who}, tenant)
            site.keys[who] = made["key"]
    until(lambda: any(d["key"] == "echo" for d in site.ask("alice", "GET", "/definitions")["items"]), 60)


def _answers(site: Site) -> bool:
    try:
        return bool(site.ask("root", "GET", "/me"))
    except (OSError, HTTPError):
        return False
