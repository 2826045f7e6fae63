from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from jobplane.embedded import EmbeddedServer
from jobplane.embedded.account import Account
from jobplane.embedded.directories import SHARED_TEMPORARY, fingerprint
from jobplane.embedded.locks import CHANGING
from jobplane.embedded.processes import find_process
from tests.embedded.holder import ROLES, SETTINGS, Holder, spawn

Serve = Callable[..., EmbeddedServer]
Hold = Callable[..., Holder]


def until(probe: Callable[[], object], seconds: float = 30) -> None:
    """Wait for something that must come true."""
    deadline = time.monotonic() + seconds
    while not probe():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)


def postmaster_pid(data_dir: Path) -> int | None:
    """The live server process of this directory."""
    with suppress(FileNotFoundError, IndexError, ValueError):
        pid = int((data_dir / "postmaster.pid").read_text().splitlines()[0])
        process = find_process(pid)
        return pid if process and process.program == "postgres" else None
    return None


def ask(url: str, statement: str) -> object:
    """The first value of the first row, if there are rows."""
    with psycopg.connect(url, autocommit=True) as conn:
        cursor = conn.execute(statement.encode())
        row = cursor.fetchone() if cursor.description else None
        return row[0] if row else None


def connect_as(account: Account, server: EmbeddedServer, role: str) -> str:
    """What psql tells this user of the operating system who wants to be that role."""
    programs = Path((server.data_dir / "jobplane.binaries").read_text().splitlines()[1])
    url = f"postgresql://{role}@/jobplane?host={quote(str(server.socket_dir), safe='')}"
    done = account.run([str(programs / "psql"), "-XAt", "-c", "select current_user", url])
    return (done.stdout + done.stderr).strip()


def account_of(name: str) -> Account:
    entry = pwd.getpwnam(name)
    return Account(name, entry.pw_uid, entry.pw_gid)


def clean_up(directory: Path) -> None:
    """End whatever still runs below a directory when its test is over, and remove its sockets."""
    for lock in directory.rglob(CHANGING):
        if pid := postmaster_pid(lock.parent):
            os.kill(pid, signal.SIGQUIT)
            until(lambda pid=pid: find_process(pid) is None)
        for sockets in SHARED_TEMPORARY.glob(f"jobplane-*-{fingerprint(lock.parent)}"):
            shutil.rmtree(sockets)


@pytest.fixture
def home(tmp_path: Path) -> Generator[Path]:
    """A home of mode 0700."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    yield home
    clean_up(home)


@pytest.fixture
def data_dir(home: Path) -> Path:
    return home / "data"


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cluster to copy, which takes a tenth of the time of making one."""
    directory = tmp_path_factory.mktemp("template") / "data"
    with EmbeddedServer(directory, bootstrap_sql=ROLES, settings=SETTINGS):
        return directory


@pytest.fixture
def data(data_dir: Path, template: Path) -> Path:
    """The test's data directory with a cluster in it that has not been started there yet."""
    subprocess.run(["cp", "-a", template, data_dir], check=True)
    return data_dir


@pytest.fixture
def serve(data_dir: Path) -> Generator[Serve]:
    """Makes servers that are stopped at the end; by default with the roles, in the test's data directory."""
    made: list[EmbeddedServer] = []

    def make(
        directory: Path = data_dir,
        sql: str = ROLES,
        settings: Mapping[str, str] = SETTINGS,
        bin_dir: Path | None = None,
    ) -> EmbeddedServer:
        made.append(EmbeddedServer(directory, bin_dir=bin_dir, bootstrap_sql=sql, settings=settings))
        return made[-1]

    yield make
    for server in made:
        server.stop()


@pytest.fixture
def hold(data_dir: Path) -> Generator[Hold]:
    """Makes processes that use a server, and kills those that are left."""
    made: list[Holder] = []

    def make(directory: Path = data_dir, *, new_session: bool = False, account: Account | None = None) -> Holder:
        made.append(spawn(directory, new_session=new_session, account=account))
        return made[-1]

    yield make
    for holder in made:
        holder.kill()


@pytest.fixture
def public() -> Generator[Path]:
    """A directory that every user can pass through, unlike those of the tests."""
    directory = Path(tempfile.mkdtemp(prefix="jobplane-test-"))
    directory.chmod(0o755)
    yield directory
    clean_up(directory)
    shutil.rmtree(directory)
