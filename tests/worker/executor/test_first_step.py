"""A stop in the turn of the loop in which its attempt begins: Python 3.11 has not run its first step then."""

from __future__ import annotations

import asyncio

import pytest

from jobplane.execution.secret_sources import PolicySecrets
from jobplane.worker.executor.executor import Executor
from jobplane.worker.executor.job_logs import JobLogs
from jobplane.worker.executor.outbox import Outbox
from jobplane.worker.executor.places import Places
from jobplane.worker.frames import MARK, PLACE_BYTES, FrameReader, Kind, Setup, StopReason
from tests.worker.executor import program
from tests.worker.executor.driver import row

pytestmark = pytest.mark.anyio


class Way:
    """Keeps what an executor says."""

    def __init__(self) -> None:
        self.said = b""
        self.stirred = asyncio.Event()

    def write(self, data: bytes) -> None:
        self.said += data
        self.stirred.set()


def _tell_nobody(*_: object) -> None:
    """There is no log of the process."""


def _setup() -> Setup:
    return {
        "imports": [],
        "slots": 1,
        "threads": 1,
        "alone": False,
        "board_fd": -1,
        "log_level": "info",
        "log_format": "json",
        "linger_ms": 0,
        "parent": 1,
        "worker": "w1",
        "url": None,
        "artifacts_dir": None,
        "policy": None,
        "sys_path": [],
        "lease_seconds": 30,
    }


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("cancel", (Kind.ENDED, b'[[1,"canceled",null,null,null,null,null,null,')),
        ("shutdown", (Kind.ENDED, b'[[1,"released","shutdown",null,null,null,null,null,')),
        ("gone", (Kind.RETURNED, b"[1]")),
    ],
    ids=["cancel", "shutdown", "gone"],
)
async def test_it_ends_and_its_slot_is_free(why: StopReason, said: tuple[Kind, bytes]) -> None:
    loop, way, board = asyncio.get_running_loop(), Way(), memoryview(bytearray(PLACE_BYTES)).cast("q")
    outbox = Outbox(loop, way, "w1")
    journal = outbox.journal = JobLogs(loop, outbox, board[1:2], "info", _tell_nobody)
    executor = Executor(
        _setup(), {b"sleep": program.jp.handler("sleep")}, Places(board), outbox, journal, None, PolicySecrets(None)
    )

    executor.hear(Kind.JOBS, row(1, "sleep"))
    loop.call_soon(executor.hear, Kind.STOP, b'[[1,"%s"]]' % why.encode())
    async with asyncio.timeout(5):
        await way.stirred.wait()

    kind, body = next(FrameReader().feed(way.said))
    assert (kind, body[: len(said[1])]) == said
    assert board[0] == MARK + 1
