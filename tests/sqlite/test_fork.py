"""A child of the process that opened the file must open it for itself: locks do not pass on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance.backend import SqliteAudit
from tests.sqlite.hand import ROOT

SCRIPT = """
import os, sys
from jobplane.core.errors import StoreError
from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import BlockingSqliteStore

store = BlockingSqliteStore(sys.argv[1])
store.put_definitions([{"key": "d", "kind": "python"}])
child = os.fork()
if child == 0:
    try:
        store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    except StoreError as error:
        print(error.message)
    store.close()
    print(store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])[0].outcome, "by the child", flush=True)
    store.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])[0].outcome, "by the parent")
print(store.summary(DEFAULT_TENANT).ready)
store.close()
"""


LOOP = """
import asyncio, os, sys
from jobplane.core.errors import StoreError
from tests.client import SqliteStore

async def main(store):
    try:
        print(len(await store.queues()), flush=True)
    except StoreError as error:
        print(error.message, flush=True)
        await store.close()
        print(len(await store.queues()), flush=True)
    await store.close() if os.getpid() != parent else None

parent = os.getpid()
store = SqliteStore(sys.argv[1])
asyncio.run(main(store))
child = os.fork()
if child == 0:
    asyncio.run(main(store))
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
asyncio.run(main(store))
asyncio.run(store.close())
"""


def test_a_child_with_a_loop_is_told_too(path: Path) -> None:
    """Its threads did not come with it; a call would wait for them for ever."""
    done = subprocess.run(
        [sys.executable, "-c", LOOP, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )

    said = done.stdout.splitlines()
    assert len([line for line in said if "opened before a fork" in line]) == 1
    assert said.count("2") == 3


def test_use_after_a_fork_is_refused_until_the_child_opens_it_again(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )

    refusal, child, parent, ready = done.stdout.splitlines()
    assert "opened before a fork" in refusal
    assert (child, parent, ready) == ("created by the child", "created by the parent", "2")


PARENT_CLOSES = """
import os, sys
from jobplane.core.model import DEFAULT_TENANT, NewJob
from tests.client import BlockingSqliteStore

JOB = [NewJob(definition="d")]
store = BlockingSqliteStore(sys.argv[1], driver=sys.argv[2])
store.put_definitions([{"key": "d", "kind": "python"}])
store.queues()
to_parent, to_child = os.pipe(), os.pipe()
child = os.fork()
if child == 0:
    store.close()
    store.enqueue(DEFAULT_TENANT, JOB)
    os.write(to_parent[1], b"open")
    os.read(to_child[0], 6)
    outcomes = [store.enqueue(DEFAULT_TENANT, JOB)[0].outcome for _ in range(5)]
    print(*outcomes, flush=True)
    os._exit(0)
os.read(to_parent[0], 4)
store.close()
os.write(to_child[1], b"closed")
assert os.waitpid(child, 0)[1] == 0
print(store.summary(DEFAULT_TENANT).ready)
store.close()
"""


@pytest.mark.parametrize("driver", ["apsw", "stdlib"])
def test_what_a_child_is_told_it_wrote_outlives_its_parents_close(path: Path, driver: str) -> None:
    """SQLite counts its locks in memory, which a fork copies: with the parent's count the child would take none."""
    done = subprocess.run(
        [sys.executable, "-c", PARENT_CLOSES, str(path), driver],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert done.stdout.split() == ["created"] * 5 + ["6"]


UNDER_LOAD = """
import os, sys, threading
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.sqlite import forks
from tests.client import BlockingSqliteStore

forks.PATIENCE = 60
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
        store.close()
        store.enqueue(DEFAULT_TENANT, JOB)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
stop.set()
for thread in threads:
    thread.join()
print(store.summary(DEFAULT_TENANT).ready - sum(written))
store.close()
"""


def test_forks_under_load_lose_nothing(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", UNDER_LOAD, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )

    assert done.stdout.split() == ["20"]
    assert SqliteAudit(path).peek("pragma integrity_check") == [("ok",)]
    assert SqliteAudit(path).faults() == []


TORN = """
import os, sys, threading
from jobplane.core.errors import StoreError
from jobplane.store.sqlite import forks
from tests.client import BlockingSqliteStore
from jobplane.store.sqlite.file import SqliteFile

forks.PATIENCE = 0.05
file = SqliteFile(sys.argv[1], "apsw", 10)
inside, done = threading.Event(), threading.Event()

def verb(link):
    inside.set()
    done.wait()

thread = threading.Thread(target=file.write, args=(verb,))
thread.start()
inside.wait()
child = os.fork()
if child == 0:
    file.close()
    for store in (BlockingSqliteStore(sys.argv[1]), BlockingSqliteStore(sys.argv[1] + ".other")):
        try:
            print(len(store.queues()), flush=True)
        except StoreError as error:
            print(error.message, flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
done.set()
thread.join()
file.close()
"""


def test_a_child_of_a_fork_in_the_middle_of_a_call_is_refused_the_file(path: Path) -> None:
    """A connection in use can be neither taken over nor closed there."""
    done = subprocess.run(
        [sys.executable, "-c", TORN, str(path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )

    same, other = done.stdout.splitlines()
    assert "spawn" in same
    assert other == "2"
