"""The instruments work: a proxy that freezes, delays and cuts, and a record that outlives its writers."""

from __future__ import annotations

import os
import select
import socket
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from tests.faults.proxy import proxied
from tests.faults.recorder import SOCKET, Recorder
from tests.faults.waiting import PATIENCE, until
from tests.faults.workers import ROOT


class _Echo(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        while line := self.rfile.readline():
            self.wfile.write(line)


@pytest.fixture
def upstream(recorder: Recorder) -> Generator[Path]:
    """A server that says what it is told, on a Unix socket."""
    path = Path(recorder.path).with_name("echo")
    with socketserver.ThreadingUnixStreamServer(str(path), _Echo) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield path
        server.shutdown()
        thread.join()


def _say(conn: socket.socket, words: bytes) -> float:
    """Say it, and hear it back; how long that took."""
    began = time.monotonic()
    conn.sendall(words)
    assert conn.recv(100) == words
    return time.monotonic() - began


def test_a_proxy_passes_delays_freezes_and_cuts(upstream: Path) -> None:
    with proxied(upstream) as proxy, socket.create_connection(("127.0.0.1", proxy.port), PATIENCE) as conn:
        proxy.delay_answer(lambda answer: b"late" in answer, 0.3)
        _say(conn, b"in time\n")
        assert proxy.delayed == 0
        assert _say(conn, b"late\n") >= 0.3
        assert proxy.delayed == 1
        with proxy.delaying("ask", lambda question: b"late" in question, 0.3):
            assert min(_say(conn, b"late\n"), _say(conn, b"late\n")) >= 0.3
        _say(conn, b"late\n")
        assert proxy.delayed == 3

        proxy.hold_answer(lambda answer: b"held" in answer)
        conn.sendall(b"held\n")
        assert select.select([conn], [], [], 0.2)[0] == []
        proxy.let_go()
        assert conn.recv(100) == b"held\n"

        assert proxy.freeze() == 1
        conn.sendall(b"unheard\n")
        with socket.create_connection(("127.0.0.1", proxy.port), PATIENCE) as new:
            _say(new, b"a new line is not frozen\n")
        assert select.select([conn], [], [], 0.2)[0] == []
        proxy.thaw()
        assert conn.recv(100) == b"unheard\n"

        assert proxy.cut() >= 1
        with pytest.raises(ConnectionResetError):
            conn.recv(100)


def test_a_line_outlives_its_writer(recorder: Recorder) -> None:
    program = (
        "import os; from tests.faults.recorder import Pen; Pen.of_this_process().write('effect', job='a'); os.abort()"
    )

    environment = {**os.environ, SOCKET: recorder.path}
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=environment, check=False)

    assert done.returncode < 0
    until(lambda: recorder.count("effect", job="a") == 1, PATIENCE, "the line")
