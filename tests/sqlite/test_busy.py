"""Another process may keep the file: a call waits for it, within a bound."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from jobplane.core.errors import StoreBusy
from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome
from jobplane.store.sqlite.drivers import Link
from jobplane.store.sqlite.file import SqliteFile
from tests import programs
from tests.client import BlockingSqliteStore
from tests.leases import settlement
from tests.sqlite.hand import start

OUTSIDE = """
import sqlite3, sys

conn = sqlite3.connect(sys.argv[1], isolation_level=None)
conn.execute(sys.argv[2])
print("held", flush=True)
sys.stdin.read()
"""


def test_a_call_waits_for_another_process(path: Path, store: BlockingSqliteStore) -> None:
    hand = start(path, "hold")
    assert hand.stdout
    assert hand.stdout.readline() == "held\n"

    [answer] = store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

    assert answer.created
    hand.communicate()


def held(path: Path, begin: str) -> subprocess.Popen[str]:
    """Another program, with its own SQLite, that keeps the file until its input ends."""
    command = [sys.executable, "-c", OUTSIDE, str(path), begin]
    outside = programs.start(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert outside.stdout
    assert outside.stdout.readline() == "held\n"
    return outside


def test_the_wait_for_a_thread_of_the_same_process_has_the_same_bound(path: Path) -> None:
    file = SqliteFile(path, "apsw", 0.2)
    inside, done = threading.Event(), threading.Event()

    def verb(_: Link) -> None:
        inside.set()
        done.wait()

    thread = threading.Thread(target=file.write, args=(verb,))
    thread.start()
    inside.wait()
    try:
        with pytest.raises(StoreBusy, match="Other threads"):
            file.write(lambda _: None)
    finally:
        done.set()
        thread.join()
        file.close()


@pytest.mark.parametrize("begin", ["begin immediate", "begin exclusive"])
def test_the_wait_has_a_bound_and_ends_in_an_error_of_ours(
    path: Path, store: BlockingSqliteStore, tmp_path: Path, begin: str
) -> None:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    [lease] = store.claim("default", "w").leases
    outside = held(path, begin)
    calls: dict[str, Callable[[BlockingSqliteStore], object]] = {
        "enqueue": lambda hasty: hasty.enqueue(DEFAULT_TENANT, [NewJob(definition="d")]),
        "claim": lambda hasty: hasty.claim("default", "w"),
        "renew": lambda hasty: hasty.renew([lease]),
        "settle": lambda hasty: hasty.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED)]),
        "reap": lambda hasty: hasty.reap(),
        "check": lambda hasty: hasty.check(),
    }

    with BlockingSqliteStore(path, busy_seconds=0.1) as hasty:
        for name, call in calls.items():
            with pytest.raises(StoreBusy) as busy:
                call(hasty)
            assert "locked" not in busy.value.message, name
        hasty.vacuum()
        hasty.backup(tmp_path / "copy.db")
        assert hasty.summary(DEFAULT_TENANT).running == 1, "who only reads does not wait"
        outside.communicate()
        assert hasty.renew([lease])[0].answer == "renewed"


def test_ctrl_c_at_the_worst_moment_does_not_keep_the_file_open_for_ever(store: BlockingSqliteStore) -> None:
    def strike(_frame: FrameType, event: str, function: object) -> None:
        """Between the return of the lock and whatever comes after it."""
        if event == "c_return" and getattr(function, "__name__", "") == "acquire":
            raise KeyboardInterrupt

    sys.setprofile(strike)
    try:
        with pytest.raises(KeyboardInterrupt):
            store.list_jobs(DEFAULT_TENANT)
    finally:
        sys.setprofile(None)

    store.close()

    assert store.list_jobs(DEFAULT_TENANT).items == []
