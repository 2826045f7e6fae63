"""Where commands go, and what they say of a server that refuses or is not there."""

from __future__ import annotations

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from jobplane.cli.main import exit_code
from jobplane.cli.remote.faults import ServerRefused, make_error
from jobplane.core import errors
from tests.cli.command import within
from tests.cli.desk import Desk


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def answering(status: int, body: str, **headers: str) -> Generator[str]:
    """Something that speaks HTTP, and is no jobplane server."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None: ...  # noqa: A002 named by the library

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_without_a_server_and_a_database_both_settings_are_named(tmp_path: Path) -> None:
    done = within("jobs", "ls", XDG_DATA_HOME=str(tmp_path))

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("jobplane: invalid_config: No server and no database is named.")
    assert "JOBPLANE_SERVER_URL" in done.err
    assert "JOBPLANE_DATABASE_URL" in done.err


def test_a_server_and_a_database_exclude_each_other() -> None:
    done = within("jobs", "ls", "--server", "http://localhost", "--url", "sqlite:///x.db")

    assert (done.code, done.err.split(": ")[1]) == (2, "usage")


@pytest.mark.parametrize("url", ["localhost:8580", "ftp://host", "http://", "http://host/?a=1"])
def test_an_address_that_is_none_is_refused_by_the_name_of_the_setting(url: str) -> None:
    done = within("me", JOBPLANE_SERVER_URL=url)

    assert done.code == 2
    assert done.err.startswith("jobplane: invalid_config: Invalid server_url. Write http://")


def test_a_server_that_is_not_there_is_7_with_its_address() -> None:
    url = f"http://127.0.0.1:{free_port()}"

    done = within("jobs", "ls", "--server", url)

    assert (done.code, done.out) == (7, "")
    assert done.err.startswith(f"jobplane: server_unreachable: No answer from {url} ")


def test_the_flag_for_a_database_wins_over_the_setting_for_a_server(desk: Desk) -> None:
    done = desk.run("jobs", "ls", "--url", desk.url, JOBPLANE_SERVER_URL=f"http://127.0.0.1:{free_port()}")

    assert done.code == 0


@pytest.mark.parametrize(
    ("status", "code"), [(200, 1), (301, 1), (404, 3), (502, 7)], ids=["page", "redirect", "missing", "proxy"]
)
def test_what_is_no_jobplane_server_is_said_to_be_none(status: int, code: int) -> None:
    with answering(status, "<html>hello</html>", Location="http://elsewhere/") as url:
        done = within("me", "--server", url, JOBPLANE_API_KEY="jp_secret")

    assert done.code == code
    assert done.err.endswith(f"answered {status} without JSON. Is it a jobplane server?\n")
    assert "secret" not in done.err


def test_problems_become_the_errors_of_the_tree() -> None:
    found = make_error(409, {"code": "illegal_move", "detail": "Job 1 is running.", "current_status": "running"})

    assert isinstance(found, errors.IllegalMove)
    assert found.message == "Job 1 is running. Try: jobplane jobs describe ID"
    assert (exit_code(found), found.facts["current_status"]) == (5, "running")


@pytest.mark.parametrize(
    ("status", "code", "left_with"),
    [(422, "invalid_request", 2), (404, "route_not_found", 3), (503, "server_busy", 6), (500, "internal_error", 1)],
)
def test_codes_that_are_not_in_the_tree_leave_by_their_status(status: int, code: str, left_with: int) -> None:
    found = make_error(status, {"code": code, "detail": "Because."})

    assert isinstance(found, ServerRefused)
    assert exit_code(found) == left_with


def test_a_missing_part_is_named_with_the_command_that_installs_it(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_nothing(name: str) -> None: ...

    monkeypatch.setattr("jobplane.cli.extras.find_spec", find_nothing)

    done = desk.run("jobs", "ls")

    assert done.code == 2
    assert done.err == ("jobplane: missing_extra: The HTTP client is not installed. Run: pip install 'jobplane[cli]'\n")
