"""A wrong login or a wrong database is no outage: each process says so in one line at its start, and exits."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from jobplane.embedded import EmbeddedServer
from tests.cli.command import jobplane
from tests.database import Database
from tests.embedded.conftest import clean_up
from tests.migrations.cluster import PG_BIN
from tests.own_server import own_server, with_password
from tests.worker.conftest import postgres
from tests.worker.stage import APP

PROCESSES = {
    "worker": ["worker", "--import", APP, "--processes", "1"],
    "scheduler": ["scheduler"],
    "server": ["server", "--http", "127.0.0.1:0"],
    "admin": ["tenants", "ls"],
}
process = pytest.mark.parametrize("name", PROCESSES)


@pytest.fixture(scope="module")
def server() -> Generator[EmbeddedServer]:
    """One that asks for passwords."""
    with TemporaryDirectory() as place:
        path = Path(place)
        path.chmod(0o755)
        with own_server(path / "yours", PG_BIN, {}) as server:
            yield server
        clean_up(path)


def refusal(name: str, url: str, code: str, number: int) -> str:
    answer = jobplane(*PROCESSES[name], JOBPLANE_DATABASE_URL=url)

    assert answer.code == number, answer.err
    [said] = [line for line in answer.err.splitlines() if line.startswith(f"jobplane: {code}: ")]
    assert "secret" not in answer.err
    return said


@process
def test_a_database_that_does_not_exist_is_not_waited_for(server: EmbeddedServer, name: str) -> None:
    url = with_password(server.url("shop", "nowhere"), "shop-secret")

    said = refusal(name, url, "database_missing", 1)

    assert 'database "nowhere" does not exist. Create it, or correct the name in the URL.' in said
    role = name if name in ("worker", "scheduler") else "app"
    assert f"The URL is that of database_url_{role}, or of database_url where that is not set." in said


def test_a_wrong_password_is_not_waited_for(server: EmbeddedServer) -> None:
    said = refusal("worker", with_password(server.url("shop"), "another-secret"), "unauthenticated", 4)

    assert "Check user and password in the URL." in said


def test_a_login_that_does_not_exist_is_not_waited_for(server: EmbeddedServer) -> None:
    refusal("scheduler", with_password(server.url("nobody"), "some-secret"), "unauthenticated", 4)


@process
def test_a_login_without_rights_is_told_its_role_and_its_setting(db: Database, name: str) -> None:
    role = "app" if name == "server" else name
    given = {**postgres(db), f"JOBPLANE_DATABASE_URL_{role.upper()}": db.url("stranger", direct=True)}

    answer = jobplane(*PROCESSES[name], **given)

    assert answer.code == 4, answer.err
    assert f"set database_url_{role} to one" in answer.err
    assert f"jobplane migrate roles --grant {role}=jobplane_stranger" in answer.err
