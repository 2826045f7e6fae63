"""A program that uses the library ends by itself: after an outage, and where it forgot to close."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from jobplane import Jobplane
from tests import programs
from tests.api.conftest import point_at
from tests.database import Database
from tests.faults.proxy import Proxy, proxied

# How long a program may take to end: it waits for nothing. A busy machine needs some of it.
END_SECONDS: Final = 20.0
HEAD: Final = """
import asyncio, sys
from jobplane import Jobplane, StoreUnavailable
from jobplane.store.postgres import pools
pools._MOMENT_SECONDS = 1e9  # no connection counts as idle, however busy the machine is
jp = Jobplane()
@jp.job("add")
def add() -> None: ...
def tell(word):
    print(word, flush=True)
    sys.stdin.readline()
"""
ASYNC: Final = """
async def main():
    await add.enqueue_async()
    tell("ready")
    for _ in range(CALLS):
        try:
            await add.enqueue_async()
        except StoreUnavailable as error:
            print(error, flush=True)
    tell("done")
asyncio.run(main())
"""
BLOCKING: Final = """
def main():
    add.enqueue()
    tell("ready")
    for _ in range(CALLS):
        try:
            add.enqueue()
        except StoreUnavailable as error:
            print(error, flush=True)
    tell("done")
main()
"""


@pytest.fixture
def proxy(db: Database, monkeypatch: pytest.MonkeyPatch) -> Generator[Proxy]:
    """The programs of a test go through this."""
    point_at(db, monkeypatch)
    with Jobplane() as jp:
        jp.put_definitions([{"key": "add", "kind": "python"}])
    monkeypatch.delenv("JOBPLANE_POOLER", raising=False)
    monkeypatch.setenv("JOBPLANE_DATABASE_TIMEOUT_SECONDS", "2")
    with proxied(db.cluster.server.socket_dir / ".s.PGSQL.5432") as proxy:
        url = f"postgresql://jobplane_app@127.0.0.1:{proxy.port}/{db.name}"
        monkeypatch.setenv("JOBPLANE_DATABASE_URL", url)
        monkeypatch.setenv("JOBPLANE_DATABASE_URL_APP", url)
        yield proxy


def start(tmp_path: Path, body: str, calls: int) -> subprocess.Popen[str]:
    script = tmp_path / "program.py"
    script.write_text(f"CALLS = {calls}\n{HEAD}{body}")
    pipe = subprocess.PIPE
    process = programs.start([sys.executable, str(script)], stdin=pipe, stdout=pipe, stderr=pipe)
    until(process, "ready")
    return process


def until(process: subprocess.Popen[str], word: str) -> list[str]:
    """The lines before the word."""
    assert process.stdout is not None
    lines: list[str] = []
    while (line := process.stdout.readline().strip()) != word:
        assert line or process.poll() is None, process.stderr and process.stderr.read()
        lines.append(line)
    return lines


def go_on(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def end(process: subprocess.Popen[str]) -> str:
    """What it wrote to stderr."""
    go_on(process)
    process.wait(END_SECONDS)
    assert process.returncode == 0
    assert process.stderr is not None
    return process.stderr.read()


both = pytest.mark.parametrize("body", [ASYNC, BLOCKING], ids=["async", "blocking"])


@both
def test_a_program_that_forgot_to_close_ends(tmp_path: Path, proxy: Proxy, body: str) -> None:
    process = start(tmp_path, body, 1)
    go_on(process)
    assert until(process, "done") == []

    assert "Traceback" not in end(process)


@both
def test_a_program_whose_connections_fell_silent_ends(tmp_path: Path, proxy: Proxy, body: str) -> None:
    process = start(tmp_path, body, 1)
    proxy.freeze()
    go_on(process)
    [said] = until(process, "done")
    assert "PostgreSQL did not answer within 2 s." in said

    assert "Traceback" not in end(process)


@both
def test_a_program_whose_database_is_gone_ends(tmp_path: Path, proxy: Proxy, body: str) -> None:
    process = start(tmp_path, body, 3)
    proxy.stop_listening()
    proxy.cut()
    go_on(process)
    assert len(until(process, "done")) == 3

    assert "Traceback" not in end(process)


@both
def test_a_program_whose_network_is_gone_ends(tmp_path: Path, proxy: Proxy, body: str) -> None:
    """New connections are taken and never answered, so the pool is about to connect when the program ends."""
    process = start(tmp_path, body, 2)
    proxy.is_deaf = True
    proxy.freeze()
    go_on(process)
    assert len(until(process, "done")) == 2

    assert "Traceback" not in end(process)
