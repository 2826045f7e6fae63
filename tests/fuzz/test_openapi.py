"""Every operation of the OpenAPI document, with thousands of requests: no 5xx, and no answer without documentation."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from jobplane import Jobplane
from tests import programs
from tests.cli.command import COMMAND, environment
from tests.conftest import ROLES
from tests.database import Cluster
from tests.faults.test_server import is_ready
from tests.migrations.processes import until

EXAMPLES: Final = os.environ.get("JOBPLANE_TEST_FUZZ", "")
pytestmark = [
    pytest.mark.skipif(not EXAMPLES, reason="make test-rest"),
    pytest.mark.timeout(600),
]
# What the server promises. `ignored_auth` and `negative_data_rejection` are among them.
CHECKS: Final = ",".join(
    [
        "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_schema_conformance",
        "response_headers_conformance", "negative_data_rejection", "ignored_auth", "use_after_free",
        "ensure_resource_availability",
    ]
)  # fmt: skip


@pytest.fixture(params=["postgres", "sqlite"])
def served(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Generator[tuple[int, str]]:
    """A server on a database with a few jobs; its port, and a key of the super admin."""
    monkeypatch.setenv("JOBPLANE_ALLOW_UNSAFE_DURABILITY", "true")
    unlimited = {"JOBPLANE_SERVER_REQUESTS_PER_SECOND": "0", "JOBPLANE_SERVER_SIGN_INS_PER_MINUTE": "0"}
    env = {**environment(), "JOBPLANE_ALLOW_UNSAFE_DURABILITY": "true", **unlimited}
    if request.param == "postgres":
        cluster: Cluster = request.getfixturevalue("cluster")
        with cluster.fresh() as database:
            urls = {f"JOBPLANE_DATABASE_URL_{role.upper()}": database.url(role) for role in ROLES}
            yield from _serve({**env, **urls, "JOBPLANE_DATABASE_URL": database.url("app")}, database.url("admin"))
    else:
        url = f"sqlite:///{tmp_path / 'jobs.db'}"
        yield from _serve({**env, "JOBPLANE_DATABASE_URL": url}, url)


def _serve(env: dict[str, str], admin_url: str) -> Generator[tuple[int, str]]:
    with Jobplane(admin_url) as jp:
        command = {"executable": "/bin/true", "argv": ["{n}"]}
        schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
        jp.put_definitions([{"key": "d", "kind": "python", "arg_schema": True}])
        jp.put_definitions([{"key": "c", "arg_schema": schema, "command": command}])
        for number in range(5):
            jp.enqueue("d", {"n": number})
        _, key = jp.create_key("super_admin")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = programs.start([*COMMAND, "server", "--http", f"127.0.0.1:{port}"], env=env)
    until(lambda: is_ready(port), 60)
    yield port, key
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(30) == 0


def test_no_request_breaks_the_server(served: tuple[int, str], tmp_path: Path) -> None:
    port, key = served
    command = [
        str(Path(sys.executable).parent / "schemathesis"), "run", f"http://127.0.0.1:{port}/api/openapi.json",
        "--header", f"Authorization: Bearer {key}", "--header", "X-Jobplane-Tenant: default",
        "--checks", CHECKS, "--max-examples", EXAMPLES, "--phases", "examples,coverage,fuzzing", "--seed", "12",
        "--request-timeout", "20", "--exclude-operation-id", "revokeKey",
        "--exclude-operation-id", "streamChanges",  # never ends
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=500, check=False)

    assert done.returncode == 0, done.stdout[-100_000:]
