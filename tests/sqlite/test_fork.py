"""A child of the process that opened the file must open it for itself: locks do not pass on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.sqlite.hand import ROOT

SCRIPT = """
import os, sys
from jobplane.core.errors import StoreError
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.sqlite.blocking import BlockingSqliteStore

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
from jobplane.store.sqlite.store import SqliteStore

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
