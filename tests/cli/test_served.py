"""Commands against a server in a process of its own, on a port."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from jobplane.core.logs import NewLogLine
from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome
from tests import programs
from tests.cli.command import COMMAND, Answer, environment, jobplane, within
from tests.client import BlockingSqliteStore
from tests.leases import Held, settlement
from tests.migrations.cluster import Database, new_database

MODULE = """
from jobplane import Jobplane

jp = Jobplane()


@jp.job("greet")
def greet(name: str) -> str:
    print(f"hello {name}")
    if name == "nobody":
        raise ValueError("there is nobody")
    return name
"""


@dataclass(frozen=True)
class Served:
    """A server, the environment of a caller with a key for it, and that of programs on its database."""

    process: subprocess.Popen[str]
    env: dict[str, str]
    database: dict[str, str]

    def run(self, *words: str) -> Answer:
        return within(*words, **self.env)


@contextmanager
def serving(database: dict[str, str], address: str = "127.0.0.1:0") -> Generator[Served]:
    """A server, on a free port by default, and a key of a super admin."""
    key = within("keys", "create", "--role", "super_admin", **database).out.strip()
    command = [*COMMAND, "server", "--http", address, "--log-format", "json"]
    # Not by `programs.start`: it serves all tests of this file.
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment(**database))
    try:
        yield Served(process, {"JOBPLANE_SERVER_URL": _address(process), "JOBPLANE_API_KEY": key}, database)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stderr
        process.stderr.close()


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stderr
    for line in process.stderr:
        event: dict[str, Any] = json.loads(line)
        if event.get("event") == "server_started":
            return str(event["address"])
    raise AssertionError("the server has not started")


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("served") / "jobs.db"
        path.touch()  # no command makes a file that is not there
        found = {"JOBPLANE_DATABASE_URL": f"sqlite:///{path}"}
    else:
        database = new_database(request.getfixturevalue("server"))
        assert jobplane("migrate", "up", "--url", database.url()).code == 0
        roles = {f"JOBPLANE_DATABASE_URL_{role.upper()}": database.url(role) for role in ("app", "worker", "admin")}
        found = {**roles, "JOBPLANE_ALLOW_UNSAFE_DURABILITY": "true"}
    with serving(found) as started:
        yield started


@contextmanager
def working(served: Served, folder: Path) -> Generator[None]:
    """A worker that runs the jobs of a module."""
    (folder / "greetings.py").write_text(MODULE)
    command = [*COMMAND, "worker", "--import", "greetings", "--processes", "1"]
    process = programs.start(command, stderr=subprocess.DEVNULL, cwd=folder, env=environment(**served.database))
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def test_a_job_is_run_watched_and_read_over_http(served: Served, tmp_path: Path) -> None:
    assert json.loads(served.run("me", "-o", "json").out)["role"] == "super_admin"
    with working(served, tmp_path):
        while (made := served.run("run", "greet", "--set", "name=ann", "--tenant", "default")).code == 2:
            assert "unknown_definition" in made.err
        failed = served.run(
            "run", "greet", "--set", "name=nobody", "--max-attempts", "1", "--tenant", "default", "--follow"
        )
        done = served.run("run", "greet", "--set", "name=bob", "--tenant", "default", "--wait", "--timeout", "60s")

    assert (done.code, failed.code) == (0, 1)
    assert " hello nobody\n" in failed.out
    logs = served.run("jobs", "logs", done.out.strip()[-12:])
    assert logs.out.endswith(" hello bob\n")
    listed = json.loads(served.run("jobs", "ls", "-o", "json").out)["items"]
    assert [job["status"] for job in listed] == ["succeeded", "dead_letter", "succeeded"]
    assert listed[2]["id"] == made.out.strip()


def test_a_key_that_is_wrong_or_missing_is_4(served: Served) -> None:
    env = {name: value for name, value in served.env.items() if name != "JOBPLANE_API_KEY"}

    missing, wrong = within("jobs", "ls", **env), within("jobs", "ls", JOBPLANE_API_KEY="jp_x_y", **env)

    assert (missing.code, wrong.code) == (4, 4)
    assert missing.err.endswith("Set JOBPLANE_API_KEY, or JOBPLANE_API_KEY_FILE to a file that holds the key.\n")


def test_a_key_may_lie_in_a_file(served: Served, tmp_path: Path) -> None:
    (tmp_path / "key").write_text(served.env["JOBPLANE_API_KEY"] + "\n")

    env = {"JOBPLANE_SERVER_URL": served.env["JOBPLANE_SERVER_URL"], "JOBPLANE_API_KEY_FILE": str(tmp_path / "key")}

    assert within("me", **env).code == 0


def test_a_terminal_gets_a_table_of_its_width_in_colours(served: Served) -> None:
    """The tenants of a new database; piped the same command prints neither colours nor an ellipsis."""
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    env = {name: value for name, value in environment(**served.env).items() if name not in ("COLUMNS", "NO_COLOR")}
    process = programs.start([*COMMAND, "tenants", "ls"], stdout=end, env=env)
    assert process.wait(30) == 0
    os.close(end)
    shown = os.read(main, 10_000).decode()
    os.close(main)

    piped = jobplane("tenants", "ls", **served.env).out
    assert "\x1b[32mactive\x1b[0m" in shown
    assert "…" in shown
    assert "\x1b" not in piped
    assert "…" not in piped


def sign_in(link: str) -> dict[str, Any]:
    """What the page behind a link does: the caller that it becomes, asked for with the cookie alone."""
    address, _, token = link.strip().partition("/sign-in#link=")
    headers = {"Content-Type": "application/json", "Origin": address}
    body = json.dumps({"link": token}).encode()
    with urlopen(Request(f"{address}/api/v1/session", body, headers), timeout=30) as answer:
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
    with urlopen(Request(f"{address}/api/v1/me", headers={"Cookie": cookie}), timeout=30) as answer:
        return json.load(answer)


def test_a_link_for_a_browser_comes_of_a_key_or_of_the_database(served: Served) -> None:
    by_key = served.run("login", "--web")
    elsewhere = {"JOBPLANE_SERVER_HTTP": served.env["JOBPLANE_SERVER_URL"].removeprefix("http://")}
    by_login = within("login", "--web", **served.database, **elsewhere)

    me, operator = sign_in(by_key.out), sign_in(by_login.out)

    assert (me["type"], me["role"]) == ("session", "super_admin")
    assert me["id"] == json.loads(served.run("me", "-o", "json").out)["id"]
    assert (operator["type"], operator["role"]) == ("session", "super_admin")
    assert operator["id"] == json.loads(within("me", "-o", "json", **served.database).out)["id"]
    with pytest.raises(HTTPError, match="401"):
        sign_in(by_key.out)


@pytest.mark.parametrize("flags", [(), ("--no-browser",)])
def test_a_terminal_opens_a_browser_with_the_link(served: Served, tmp_path: Path, flags: tuple[str, ...]) -> None:
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\necho "$1" > {seen}\n')
    browser.chmod(0o700)
    main, end = pty.openpty()
    env = environment(**served.env, BROWSER=str(browser))
    process = programs.start([*COMMAND, "login", "--web", *flags], stdout=end, stderr=subprocess.DEVNULL, env=env)
    assert process.wait(30) == 0
    os.close(end)
    shown = os.read(main, 10_000).decode()
    os.close(main)

    assert "/sign-in#link=jpl_" in shown
    assert (seen.read_text().strip() if seen.exists() else None) == (None if flags else shown.strip())


def test_a_terminal_is_cleared_for_each_look(served: Served) -> None:
    main, end = pty.openpty()
    process = programs.start([*COMMAND, "tenants", "ls", "--watch"], stdout=end, env=environment(**served.env))
    shown = ""
    while shown.count("\x1b[2J") < 2:
        shown += os.read(main, 10_000).decode()
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    os.close(end)
    os.close(main)


def test_a_followed_log_goes_on_after_a_restart_of_the_server(tmp_path: Path) -> None:
    with BlockingSqliteStore(tmp_path / "jobs.db") as store:
        store.put_definitions([{"key": "report", "kind": "python"}])
        store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])
        [lease] = store.claim("default", "w").leases
        database = {"JOBPLANE_DATABASE_URL": f"sqlite:///{tmp_path}/jobs.db"}
        with serving(database) as first:
            log(store, lease, 1)
            command = [*COMMAND, "jobs", "logs", str(lease.job_id), "-f"]
            process = programs.start(command, stdout=subprocess.PIPE, env=environment(**first.env))
            assert process.stdout
            assert process.stdout.readline().endswith(" line 1\n")
            address = first.env["JOBPLANE_SERVER_URL"].removeprefix("http://")
        with serving(database, address):
            log(store, lease, 2)
            assert process.stdout.readline().endswith(" line 2\n")
            store.settle([settlement(lease=lease, outcome=Outcome.FATAL)])
            rest, _ = process.communicate(timeout=30)

    assert (process.returncode, rest) == (0, "")


def log(store: BlockingSqliteStore, lease: Held, number: int) -> None:
    store.log_lines([NewLogLine(lease, number, datetime.now(UTC), "info", f"line {number}", {})])


def test_a_watched_list_is_printed_again_when_it_changes(served: Served) -> None:
    command = [*COMMAND, "tenants", "ls", "--watch", "-o", "name"]
    process = programs.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**served.env))
    assert process.stdout
    before = [process.stdout.readline() for _ in range(2)]
    paused = served.run("tenants", "pause", "default")
    after = [process.stdout.readline() for _ in range(2)]
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)

    assert (paused.code, served.run("tenants", "resume", "default").code) == (0, 0)
    assert before == after
    assert process.returncode == 130


def test_the_app_login_alone_is_refused_with_the_name_of_the_setting(database: Database) -> None:
    assert jobplane("migrate", "up", "--url", database.url()).code == 0

    done = within("jobs", "ls", "--url", database.url("app"), JOBPLANE_ALLOW_UNSAFE_DURABILITY="true")

    assert done.code == 4
    assert "database_url_admin" in done.err


def test_a_descriptor_that_is_no_socket_is_named(tmp_path: Path) -> None:
    done = jobplane("server", "--listen-fd", "99", "--url", f"sqlite:///{tmp_path}/jobs.db")

    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == (
        "jobplane: invalid_config: Descriptor 99 is not a socket: Bad file descriptor. "
        "Pass one that listens as --listen-fd."
    )
