import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from jobplane import Jobplane
from tests import programs
from tests.cli.command import COMMAND, environment, jobplane
from tests.embedded.conftest import clean_up
from tests.migrations.cluster import PG_BIN
from tests.migrations.processes import until

ROLES = ["app", "worker", "scheduler", "admin", "maintenance", "owner"]


@pytest.fixture
def data(tmp_path: Path) -> Generator[Path]:
    """Where the data live; a server that is still running there when the test ends is stopped."""
    yield tmp_path / "data"
    programs.end_all()
    clean_up(tmp_path)


@contextmanager
def running(directory: Path, stop: signal.Signals, *flags: str, cwd: Path | None = None) -> Generator[dict[str, str]]:
    """`jobplane up` until the block ends; it must stop in peace when it is asked to."""
    words = ["up", "--dir", str(directory), *(["--bin-dir", PG_BIN] if PG_BIN else []), *flags]
    process = programs.start(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=cwd
    )
    try:
        assert process.stdout is not None
        yield dict(process.stdout.readline().split() for _ in ROLES)
    finally:
        os.kill(process.pid, stop)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Ctrl-C stops it" in err


def test_up_runs_until_it_is_stopped_and_keeps_its_data(data: Path) -> None:
    with running(data, signal.SIGINT) as urls:
        assert list(urls) == ROLES
        with psycopg.connect(urls["owner"], autocommit=True) as conn:
            conn.execute("create table jobplane.kept (id int)")
        with psycopg.connect(urls["app"], autocommit=True) as conn:
            assert conn.execute("select count(*) > 0 from jobplane.migrations").fetchone() == (True,)

    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(urls["app"])

    with running(data, signal.SIGTERM) as urls, psycopg.connect(urls["owner"]) as conn:
        assert conn.execute("select to_regclass('jobplane.kept')::text").fetchone() == ("jobplane.kept",)


def test_up_can_be_stopped_while_it_starts(data: Path) -> None:
    command = [*COMMAND, "up", "--dir", str(data), *(["--bin-dir", PG_BIN] if PG_BIN else [])]
    process = programs.start(command, stderr=subprocess.PIPE, env=environment())
    until(data.exists)
    os.killpg(process.pid, signal.SIGINT)

    _, err = process.communicate(timeout=60)

    assert process.returncode == 0, err


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGHUP])
def test_up_can_be_stopped_before_its_worker_has_started(data: Path, stop: signal.Signals) -> None:
    with running(data, stop, "--demo"):
        """As soon as the URLs are there."""


def test_up_does_not_take_a_server_of_others() -> None:
    answer = jobplane("up", JOBPLANE_DATABASE_URL="postgresql://db/app")

    assert answer.code == 2
    assert answer.err.startswith("jobplane: invalid_config: `jobplane up` runs a server of its own")


def test_up_says_where_binaries_are_missing(tmp_path: Path) -> None:
    answer = jobplane("up", "--dir", str(tmp_path / "data"), "--bin-dir", str(tmp_path))

    assert answer.code == 1
    assert answer.err.startswith("jobplane: embedded_binaries: ")


def test_up_runs_a_demo_until_it_is_stopped(data: Path) -> None:
    with running(data, signal.SIGTERM, "--demo") as urls, psycopg.connect(urls["owner"]) as conn:
        conn.autocommit = True
        conn.execute("set role jobplane_engine")
        ended = "select count(distinct tenant_id) = 3 from jobplane.endings"
        until(lambda: conn.execute(ended.encode()).fetchone() == (True,), 60)
        failed = "select exists (select from jobplane.attempts where outcome = 'failed')"
        until(lambda: conn.execute(failed.encode()).fetchone() == (True,), 90)


SHOP = """
from jobplane import Jobplane

jp = Jobplane()


@jp.job("greet")
def greet(name: str) -> str:
    return f"hello {name}"
"""


def test_up_runs_the_jobs_of_a_module(tmp_path: Path, data: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    with (
        running(data, signal.SIGTERM, "--import", "shop", cwd=tmp_path) as urls,
        psycopg.connect(urls["app"], autocommit=True) as conn,
        Jobplane(urls["app"]) as jp,
    ):
        until(lambda: conn.execute("select 1 from jobplane.definitions where key = 'greet'").fetchone(), 60)
        job = jp.enqueue("greet", {"name": "ada"})

        assert jp.wait(job, timeout=60).result == "hello ada"
