"""A real server on a real port: slow, huge and malformed requests, and a database that goes away."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from jobplane import Jobplane
from tests import programs
from tests.cli.command import COMMAND, environment
from tests.migrations.processes import until


@dataclass
class Served:
    """A server process, its port, and a key of the super admin."""

    process: subprocess.Popen[str]
    port: int
    key: str

    def ask(self, path: str, body: object = None, **headers: str) -> tuple[int, Any, dict[str, str]]:
        given = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json", **headers}
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        try:
            with urlopen(Request(f"http://127.0.0.1:{self.port}{path}", data, given), timeout=30) as answer:
                return answer.status, json.load(answer), _lower(answer.headers)
        except HTTPError as error:
            return error.code, json.loads(error.read() or b"{}"), _lower(error.headers)

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]


@pytest.fixture
def served(tmp_path: Path) -> Generator[Served]:
    """On a SQLite file: what is tried here comes before any database."""
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    with Jobplane(url) as jp:
        _, key = jp.create_key("super_admin")
    port = free_port()
    process = programs.start([*COMMAND, "server", "--http", f"127.0.0.1:{port}", "--url", url], env=environment())
    found = Served(process, port, key)
    until(lambda: is_ready(found), 60)
    yield found
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(30) == 0


def is_ready(served: Served) -> bool:
    try:
        return served.ask("/readyz")[0] == 200
    except OSError:
        return False


def test_bad_requests_are_refused_and_good_ones_answered(served: Served) -> None:
    status, answer, _ = served.ask("/api/v1/jobs", b"{not json", **{"X-Jobplane-Tenant": "default"})
    assert (status, answer["code"]) == (400, "malformed_request")
    with served.connect() as conn:  # by its head alone: the body is not waited for
        conn.sendall(b"POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1048577\r\n\r\n")
        assert b" 413 " in conn.recv(4096).splitlines()[0]
    status, answer, _ = served.ask("/api/v1/jobs", b"x", **{"Content-Encoding": "gzip"})
    assert (status, answer["code"]) == (415, "unsupported_media_type")
    status, answer, headers = served.ask("/api/v1/me", **{"X-Request-Id": "mine-1"})
    assert (status, headers["x-request-id"]) == (200, "mine-1")
    status, answer, headers = served.ask("/api/v1/me", **{"X-Request-Id": "evil id\twith a tab"})
    assert headers["x-request-id"] != "evil id\twith a tab"
    assert served.ask("/healthz")[0] == 200


def test_a_head_without_end_is_cut_off(served: Served) -> None:
    with served.connect() as conn:
        conn.sendall(b"GET /api/v1/me HTTP/1.1\r\nHost: x\r\n")
        try:
            for _ in range(100):
                conn.sendall(b"X-Filler: " + b"x" * 1000 + b"\r\n")
            answer = conn.recv(4096)
        except ConnectionError:
            answer = b""

    assert not answer or b" 431 " in answer.splitlines()[0]
    assert served.ask("/api/v1/me")[0] == 200


def test_slow_clients_keep_nobody_waiting(served: Served) -> None:
    """Two hundred heads and bodies that never come to an end."""
    slow = [served.connect() for _ in range(200)]
    for number, conn in enumerate(slow):
        head = b"POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\n"
        conn.sendall(head if number % 2 else head + b"Content-Length: 100\r\n\r\n{")

    started = time.monotonic()
    assert served.ask("/api/v1/me")[0] == 200
    assert time.monotonic() - started < 5
    for conn in slow:
        conn.settimeout(20)
    heads = [conn.recv(100) for conn in slow]
    for conn in slow:
        conn.close()

    assert {head[:12] for head in heads} <= {b"", b"HTTP/1.1 408"}


def test_garbage_is_no_request(served: Served) -> None:
    for garbage in (b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n"):
        with served.connect() as conn:
            conn.sendall(garbage)
            assert conn.recv(100)[:12] in (b"", b"HTTP/1.1 400")
    assert served.ask("/healthz")[0] == 200
