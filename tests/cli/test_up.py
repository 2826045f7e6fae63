import json
import os
import pwd
import signal
import socket
import stat
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import psycopg
import pytest

from jobplane import Jobplane
from jobplane.core.model import Document
from tests import programs
from tests.cli.command import COMMAND, environment, jobplane
from tests.cli.test_served import sign_in
from tests.client import BlockingSqliteStore
from tests.embedded.conftest import clean_up
from tests.migrations.cluster import PG_BIN
from tests.migrations.processes import until
from tests.own_server import own_server, with_password

HTTP = ["--http", "127.0.0.1:0"]  # several of these tests run at once
ROLES = ["app", "worker", "scheduler", "admin", "maintenance", "owner"]
SERVED = ["http", "key", "sign-in"]
PRINTED = [*ROLES, *SERVED]
FREE_PORT = ["--http", "127.0.0.1:0"]


@pytest.fixture
def data(tmp_path: Path) -> Generator[Path]:
    """Where the data live; a server that is still running there when the test ends is stopped."""
    yield tmp_path / "data"
    programs.end_all()
    clean_up(tmp_path)


@contextmanager
def running(
    directory: Path, stop: signal.Signals, *flags: str, cwd: Path | None = None, lines: Sequence[str] = PRINTED
) -> Generator[dict[str, str]]:
    """`jobplane up` until the block ends; it must stop in peace when it is asked to."""
    words = ["up", "--dir", str(directory), *FREE_PORT, *(["--bin-dir", PG_BIN] if PG_BIN else []), *flags]
    process = programs.start(
        [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=cwd
    )
    try:
        assert process.stdout is not None
        yield dict(process.stdout.readline().split() for _ in lines)
    finally:
        os.kill(process.pid, stop)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "Ctrl-C stops it" in err


def test_up_runs_until_it_is_stopped_and_keeps_its_data(data: Path) -> None:
    with running(data, signal.SIGINT) as urls:
        assert list(urls) == PRINTED
        with psycopg.connect(urls["owner"], autocommit=True) as conn:
            conn.execute("create table jobplane.kept (id int)")
        with psycopg.connect(urls["app"], autocommit=True) as conn:
            assert conn.execute("select count(*) > 0 from jobplane.migrations").fetchone() == (True,)

    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(urls["app"])

    with running(data, signal.SIGTERM) as urls, psycopg.connect(urls["owner"]) as conn:
        assert conn.execute("select to_regclass('jobplane.kept')::text").fetchone() == ("jobplane.kept",)


def test_up_can_be_stopped_while_it_starts(data: Path) -> None:
    command = [*COMMAND, "up", "--dir", str(data), *FREE_PORT, *(["--bin-dir", PG_BIN] if PG_BIN else [])]
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
    answer = jobplane("up", *FREE_PORT, JOBPLANE_DATABASE_URL="postgresql://db/app")

    assert answer.code == 2
    assert answer.err.startswith("jobplane: invalid_config: `jobplane up` runs a server of its own")


def test_up_says_where_binaries_are_missing(tmp_path: Path) -> None:
    answer = jobplane("up", "--dir", str(tmp_path / "data"), *FREE_PORT, "--bin-dir", str(tmp_path))

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
        wrote = "select exists (select from jobplane.outputs where stdout_tail like 'Page 1 of %orders of order%')"
        until(lambda: conn.execute(wrote.encode()).fetchone() == (True,), 90)
        place = "select command ->> 'executable' from jobplane.definitions where key = 'export-orders'"
        [executable] = conn.execute(place.encode()).fetchone() or [""]
        assert Path(executable).exists()
    assert not Path(executable).parent.exists()


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


def ask(address: str, path: str, key: str, body: object = None, **headers: str) -> Any:
    """A call as curl makes it."""
    given = {"Authorization": f"Bearer {key}", "Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(f"{address}/api/v1{path}", data, given), timeout=30) as answer:
        return json.load(answer)


def test_up_serves_the_api_and_keeps_its_key(tmp_path: Path, data: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    with running(data, signal.SIGTERM, "--import", "shop", cwd=tmp_path) as printed:
        address, key = printed["http"], printed["key"]
        until(lambda: answers(address), 60)
        assert ask(address, "/me", key)["role"] == "super_admin"
        until(lambda: [each["key"] for each in ask(address, "/definitions", key)["items"]] == ["greet"], 60)
        named = {"X-Jobplane-Tenant": "default"}
        job = ask(address, "/jobs", key, {"definition_key": "greet", "payload": {"name": "ada"}}, **named)
        until(lambda: ask(address, f"/jobs/{job['id']}", key)["status"] == "succeeded", 60)
        assert ask(address, f"/jobs/{job['id']}/result", key) == {"result": "hello ada"}
        kept = data / "admin.key"
        assert (kept.read_text().strip(), stat.S_IMODE(kept.stat().st_mode)) == (key, 0o600)
        assert printed["sign-in"].startswith(f"{address}/sign-in#link=jpl_")
        assert sign_in(printed["sign-in"])["id"] == ask(address, "/me", key)["id"]

    with running(data, signal.SIGTERM) as printed:
        assert printed["key"] == str(kept)
        until(lambda: answers(printed["http"]), 60)
        assert ask(printed["http"], "/me", key)["role"] == "super_admin"


def answers(address: str) -> bool:
    try:
        with urlopen(f"{address}/readyz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


def test_a_second_up_on_the_same_directory_is_told_so(data: Path) -> None:
    with running(data, signal.SIGTERM):
        again = jobplane("up", "--dir", str(data), *FREE_PORT, *(["--bin-dir", PG_BIN] if PG_BIN else []))

    assert again.code == 5
    assert again.err.startswith(f"jobplane: already_up: Another `jobplane up` uses {data}.")


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        answer = jobplane("up", "--dir", str(tmp_path / "data"), "--http", address)

    assert answer.code == 2
    assert answer.err.startswith(f"jobplane: invalid: Cannot listen on {address}: Address already in use.")


def test_a_wrong_url_is_told_so(tmp_path: Path) -> None:
    url = "postgresql://nobody:wrong@127.0.0.1:1/none"
    answer = jobplane("up", "--dir", str(tmp_path / "data"), *FREE_PORT, "--url", url)

    assert answer.code == 7
    assert answer.err.startswith("jobplane: store_unavailable: ")
    assert "wrong" not in answer.err


def test_up_runs_on_a_postgresql_of_yours_and_keeps_the_logins_that_it_made(tmp_path: Path, data: Path) -> None:
    """With a login that may create roles and databases and is no superuser, as managed servers give it."""
    (tmp_path / "shop.py").write_text(SHOP)
    with own_server(tmp_path / "yours", PG_BIN, {}) as server:
        flags = ["--url", with_password(server.url("dba"), "dba-secret")]
        with running(data, signal.SIGTERM, *flags, "--import", "shop", cwd=tmp_path, lines=SERVED) as printed:
            address, key = printed["http"], printed["key"]
            until(lambda: answers(address), 60)
            until(lambda: [each["key"] for each in ask(address, "/definitions", key)["items"]] == ["greet"], 60)
            body = {"definition_key": "greet", "payload": {"name": "ada"}}
            job = ask(address, "/jobs", key, body, **{"X-Jobplane-Tenant": "default"})
            until(lambda: ask(address, f"/jobs/{job['id']}", key)["status"] == "succeeded", 60)
        logins = data / "logins.json"
        kept = logins.read_text()
        assert stat.S_IMODE(logins.stat().st_mode) == 0o600

        with running(data, signal.SIGTERM, *flags, lines=SERVED) as printed:
            until(lambda: answers(printed["http"]), 60)
            assert ask(printed["http"], f"/jobs/{job['id']}", key)["status"] == "succeeded"
        assert logins.read_text() == kept


def test_up_runs_on_a_sqlite_file_and_says_that_it_is_one_trust_domain(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    words = ["up", "--url", f"sqlite:///{tmp_path / 'jobs.db'}", "--dir", str(tmp_path / "up"), *FREE_PORT]
    process = programs.start(
        [*COMMAND, *words, "--import", "shop"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=tmp_path,
    )
    assert process.stdout is not None
    printed = dict(process.stdout.readline().split() for _ in range(2))
    address, key = printed["http"], printed["key"]
    until(lambda: answers(address), 60)
    until(lambda: [each["key"] for each in ask(address, "/definitions", key)["items"]] == ["greet"], 60)
    named = {"X-Jobplane-Tenant": "default"}
    job = ask(address, "/jobs", key, {"definition_key": "greet", "payload": {"name": "ada"}}, **named)
    until(lambda: ask(address, f"/jobs/{job['id']}", key)["status"] == "succeeded", 60)
    process.terminate()
    _, err = process.communicate(timeout=60)

    assert process.returncode == 0, err
    assert "one trust domain" in err


def test_up_runs_the_commands_of_a_policy_and_leaves_that_of_the_user_alone_in_a_demo(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    command: Document = {"executable": "/bin/echo", "argv": ["ran", "{job_id}"]}
    policy = ["--policy", str(tmp_path / "policy.toml")]
    me = pwd.getpwuid(os.geteuid()).pw_name
    with BlockingSqliteStore(tmp_path / "jobs.db") as store:
        store.put_definitions([{"key": "say", "command": command}])
    assert jobplane("policy", "write", "--file", policy[1], "--user", me, "--url", url).code == 0

    for flags in (policy, [*policy, "--demo"]):
        words = ["up", "--url", url, "--dir", str(tmp_path / "up"), *FREE_PORT, *flags]
        process = programs.start(
            [*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(), cwd=tmp_path
        )
        assert process.stdout is not None
        printed = dict(process.stdout.readline().split() for _ in range(2))
        server = {"JOBPLANE_SERVER_URL": printed["http"], "JOBPLANE_TENANT": "default"}
        server["JOBPLANE_API_KEY_FILE"] = str(tmp_path / "up" / "admin.key")
        until(lambda: answers(printed["http"]), 60)  # noqa: B023 it is called in this round
        done = jobplane("run", "say", "--wait", "--follow", "--timeout", "60s", **server)
        process.terminate()
        process.communicate(timeout=60)

        assert (process.returncode, done.code) == (0, 0), done.err
        assert " ran 0" in done.out
    assert jobplane("definitions", "get", "export-orders", "--url", url).code == 3


def test_a_child_that_dies_is_started_again_and_the_port_stays_open(data: Path) -> None:
    with running(data, signal.SIGTERM) as printed:
        address = printed["http"]
        until(lambda: answers(address), 60)
        [first] = children_of("server")
        os.kill(first, signal.SIGKILL)
        until(lambda: children_of("server") not in ([], [first]), 30)
        until(lambda: answers(address), 60)


def test_the_children_stop_when_up_is_killed(data: Path) -> None:
    words = ["up", "--dir", str(data), *FREE_PORT, *(["--bin-dir", PG_BIN] if PG_BIN else [])]
    process = programs.start([*COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert process.stdout is not None
    printed = dict(process.stdout.readline().split() for _ in PRINTED)
    until(lambda: answers(printed["http"]), 60)
    [server] = children_of("server", process.pid)

    process.kill()
    process.communicate(timeout=30)

    until(lambda: not Path(f"/proc/{server}").exists(), 30)


def children_of(command: str, parent: int | None = None) -> list[int]:
    """The pids of our own `jobplane COMMAND` processes that a running `jobplane up` has started."""
    found: list[int] = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            words = (each / "cmdline").read_bytes().split(b"\0")
            above = int((each / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        ours = [process.pid for process in programs.running()] if parent is None else [parent]
        if words[1:4] == [b"-m", b"jobplane", command.encode()] and above in ours:
            found.append(int(each.name))
    return found
