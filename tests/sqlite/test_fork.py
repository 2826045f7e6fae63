"""A file that a process had open when it forked is refused in the child: its locks do not pass on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.backend import SqliteAudit
from tests.sqlite.hand import ROOT

BLOCKING = """
import os, sys
from jobplane.core.errors import StoreError
from tests.client import BlockingSqliteStore

def look(store):
    try:
        print(len(store.queues()), flush=True)
    except StoreError as error:
        print(error.message, flush=True)

store = BlockingSqliteStore(sys.argv[1], driver=sys.argv[2])
unused = BlockingSqliteStore(sys.argv[1] + ".other", driver=sys.argv[2])
look(store)
child = os.fork()
if child == 0:
    look(store)
    store.close()
    look(store)
    look(BlockingSqliteStore(sys.argv[1], driver=sys.argv[2]))
    look(unused)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
look(store)
store.close()
"""

LOOP = """
import asyncio, os, sys
from jobplane.core.errors import StoreError
from tests.client import SqliteStore

async def look(store):
    try:
        print(len(await store.queues()), flush=True)
    except StoreError as error:
        print(error.message, flush=True)

store = SqliteStore(sys.argv[1])
asyncio.run(look(store))
child = os.fork()
if child == 0:
    asyncio.run(look(store))
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
asyncio.run(look(store))
asyncio.run(store.close())
"""

UNDER_LOAD = """
import os, sys, threading
from jobplane.core.errors import StoreError
from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import BlockingSqliteStore

JOB = [NewJob(definition="d")]
store = BlockingSqliteStore(sys.argv[1], busy_seconds=60)
store.put_definitions([{"key": "d", "kind": "python"}])
stop, written = threading.Event(), [0, 0]

def load(number):
    while not stop.is_set():
        store.enqueue(DEFAULT_TENANT, JOB)
        written[number] += 1

threads = [threading.Thread(target=load, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
for _ in range(20):
    child = os.fork()
    if child == 0:
        try:
            store.enqueue(DEFAULT_TENANT, JOB)
        except StoreError:
            os._exit(3)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
stop.set()
for thread in threads:
    thread.join()
print(store.summary(DEFAULT_TENANT).ready - sum(written))
store.close()
"""


def run(script: str, *arguments: str) -> list[str]:
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.check_output(command, cwd=ROOT, text=True, timeout=120).splitlines()


@pytest.mark.parametrize("driver", ["apsw", "stdlib"])
def test_a_child_is_refused_the_file_and_no_other(path: Path, driver: str) -> None:
    before, *refused, other, after = run(BLOCKING, str(path), driver)

    assert [before, other, after] == ["2"] * 3
    assert (
        refused
        == [f"This process was forked while {path} was open. Start it by spawn, or fork before jobplane is used."] * 3
    )


def test_a_child_with_a_loop_is_refused_it_too(path: Path) -> None:
    """Its threads did not come with it; a call would wait for them for ever."""
    before, refused, after = run(LOOP, str(path))

    assert (before, after) == ("2", "2")
    assert "Start it by spawn" in refused


def test_forks_in_the_middle_of_calls_lose_nothing(path: Path) -> None:
    assert run(UNDER_LOAD, str(path)) == ["0"]
    assert SqliteAudit(path).peek("pragma integrity_check") == [("ok",)]
    assert SqliteAudit(path).faults() == []
