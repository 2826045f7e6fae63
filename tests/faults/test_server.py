"""The database restarts under a server: 503 with Retry-After, then answers again, and nothing acknowledged is lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections import Counter
from typing import Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from jobplane import Jobplane
from tests import programs
from tests.cli.command import COMMAND, environment
from tests.conftest import ROLES
from tests.faults.servers import OwnServer
from tests.faults.waiting import PATIENCE, until

CLIENTS: Final = 4
BACK_SECONDS: Final = 15.0


class Client:
    """Enqueues again and again, and knows how each call was answered."""

    def __init__(self, port: int, key: str) -> None:
        self._url = f"http://127.0.0.1:{port}/api/v1/jobs"
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.answers: Counter[int] = Counter()
        self.acknowledged: list[str] = []
        self.without_retry_after = 0
        self.last_ok = 0.0

    def run(self, stopping: threading.Event) -> None:
        body = json.dumps({"definition_key": "d"}).encode()
        while not stopping.is_set():
            try:
                with urlopen(Request(self._url, body, self._headers), timeout=30) as answer:
                    self.acknowledged.append(json.load(answer)["id"])
                    self.answers[answer.status] += 1
                    self.last_ok = time.monotonic()
            except HTTPError as error:
                self.answers[error.code] += 1
                self.without_retry_after += error.headers.get("Retry-After") is None
            time.sleep(0.02)


def test_a_server_comes_back_by_itself_after_its_database(server: OwnServer, monkeypatch: pytest.MonkeyPatch) -> None:
    urls = {f"JOBPLANE_DATABASE_URL_{role.upper()}": server.database.url(role) for role in ROLES}
    monkeypatch.setenv("JOBPLANE_ALLOW_UNSAFE_DURABILITY", "true")
    unsafe = {"JOBPLANE_ALLOW_UNSAFE_DURABILITY": "true", "JOBPLANE_DATABASE_URL": server.database.url("app")}
    env = {**environment(), **urls, **unsafe}
    with Jobplane(server.database.url("admin")) as jp:
        jp.put_definitions([{"key": "d", "kind": "python", "arg_schema": True}])
        _, key = jp.create_key("tenant_admin", tenant="default")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    process = programs.start([*COMMAND, "server", "--http", f"127.0.0.1:{port}"], env=env)
    until(lambda: is_ready(port), PATIENCE, "the server")
    stopping, clients = threading.Event(), [Client(port, key) for _ in range(CLIENTS)]
    threads = [threading.Thread(target=client.run, args=(stopping,)) for client in clients]
    for thread in threads:
        thread.start()
    time.sleep(1)
    server.crash()
    time.sleep(2)
    server.start()
    back_at = time.monotonic()
    until(lambda: all(client.last_ok > back_at for client in clients), BACK_SECONDS, "answers after the restart")
    stopping.set()
    for thread in threads:
        thread.join()
    with Jobplane(server.database.url("app")) as jp:
        kept = {str(job.id) for job in jp.list()}
    os.kill(process.pid, signal.SIGTERM)
    assert process.wait(30) == 0

    answers = sum((client.answers for client in clients), Counter[int]())
    assert set(answers) <= {201, 503}, answers
    assert answers[503] > 0
    assert sum(client.without_retry_after for client in clients) == 0
    assert {job for client in clients for job in client.acknowledged} <= kept


def is_ready(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False
