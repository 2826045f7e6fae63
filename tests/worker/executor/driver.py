"""A supervisor's end of the socket pair, for a real executor process."""

from __future__ import annotations

import fcntl
import json
import mmap
import os
import socket
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final, Self, TypedDict, Unpack
from uuid import UUID, uuid4

import orjson

from jobplane.core.model import DEFAULT_TENANT, Json
from jobplane.worker.frames import MARK, PLACE_BYTES, FrameReader, Kind, Setup, frame, json_frame

SECONDS: Final = 60.0
ROOT: Final = str(Path(__file__).parents[3])


class Given(TypedDict, total=False):
    """What a test says in SETUP beside the defaults."""

    imports: list[str]
    slots: int
    threads: int
    log_level: str
    log_format: str
    linger_ms: float
    url: str | None
    artifacts_dir: str | None
    policy: str | None
    sys_path: list[str]


class Driver:
    """Starts an executor, deals lines, and keeps all that it says in order."""

    def __init__(self, *imports: str, spare_places: int = 0, **given: Unpack[Given]) -> None:
        self._places = given.setdefault("slots", 4) + spare_places
        size = self._places * PLACE_BYTES
        self.heard: list[tuple[Kind, Any]] = []
        self.seqs = count(1_000_000)  # of which no test names one
        self._reader = FrameReader()
        self._sock, theirs = socket.socketpair()
        self._board_fd = os.memfd_create("board")
        os.ftruncate(self._board_fd, size)
        self._board = memoryview(mmap.mmap(self._board_fd, size)).cast("q")
        command = [sys.executable, "-m", "jobplane.worker.executor", str(theirs.fileno())]
        fds = [theirs.fileno(), self._board_fd]
        # Not pipes, which would be full when nobody reads them.
        self._out, self._err = TemporaryFile(), TemporaryFile()  # noqa: SIM115 closed with the driver
        self.process = subprocess.Popen(command, pass_fds=fds, stdout=self._out, stderr=self._err)
        theirs.close()
        self.send(Kind.SETUP, {**self._defaults(), "imports": [*imports], **given})

    def _defaults(self) -> Setup:
        return {
            "imports": [],
            "slots": 4,
            "threads": 4,
            "alone": False,
            "board_fd": self._board_fd,
            "log_level": "info",
            "log_format": "auto",
            "linger_ms": 2,
            "parent": os.getpid(),
            "worker": "w1",
            "url": None,
            "artifacts_dir": None,
            "policy": None,
            "sys_path": [ROOT],
            "lease_seconds": 30,
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._sock.close()
        self.process.kill()
        self.process.wait()
        self._out.close()
        self._err.close()
        os.close(self._board_fd)

    @property
    def stderr(self) -> list[str]:
        return _lines(self._err)

    @property
    def stdout(self) -> list[str]:
        return _lines(self._out)

    @property
    def board(self) -> list[int]:
        """The seqs that run, and those that have ended with a minus; 0 where the outcome is sent."""
        uses = self._board[: self._places]
        return [0 if use > MARK else use + MARK if use < -MARK else use for use in uses]

    @property
    def counts(self) -> list[int]:
        """How many lines those have logged that run, or ran last."""
        return list(self._board[self._places : 2 * self._places])

    def send(self, kind: Kind, body: object = None) -> None:
        self._sock.sendall(frame(kind) if body is None else json_frame(kind, body))

    def deal(self, *lines: bytes) -> None:
        self._sock.sendall(frame(Kind.JOBS, b"\n".join(lines)))

    def until(self, is_there: Callable[[], Any], seconds: float = SECONDS) -> Any:
        """Listen until something is there, and answer it; fails when it does not come."""
        deadline = time.monotonic() + seconds
        while not (found := is_there()):
            self._sock.settimeout(max(0.0, min(0.05, deadline - time.monotonic())) or 0.001)
            try:
                data = self._sock.recv(1 << 20)
            except TimeoutError:
                data = None
            if data:
                self.heard += [(kind, _decoded(kind, body)) for kind, body in self._reader.feed(data)]
            elif data == b"" or time.monotonic() > deadline:
                raise AssertionError(f"it did not come; heard {self.heard[1:][-20:]}, exit {self.process.poll()}")
        return found

    def ready(self) -> dict[str, Any]:
        return self.until(lambda: self.of(Kind.READY) or self.of(Kind.FAILED))[0]

    def of(self, kind: Kind) -> list[Any]:
        return [body for heard, body in self.heard if heard is kind]

    def rows(self, kind: Kind) -> list[Any]:
        return [row for body in self.of(kind) for row in body]

    def outcomes(self) -> dict[int, Any]:
        """All that has ended: the row, or None for a plain success."""
        done: dict[int, Any] = dict.fromkeys(self.rows(Kind.DONE))
        return done | {row[0]: row for row in self.rows(Kind.ENDED)}

    def outcome(self, seq: int) -> Any:
        return self.until(lambda: seq in self.outcomes() and [self.outcomes()[seq]])[0]

    def run(self, *lines: bytes) -> dict[int, Any]:
        """Deal and wait for all outcomes."""
        self.deal(*lines)
        seqs = {int(line.split(b"\t")[0]) for line in lines}
        self.until(lambda: seqs <= self.outcomes().keys())
        return self.outcomes()

    def logs(self, seq: int) -> list[tuple[str, str, Any]]:
        """Level, message and fields of a job's lines; their numbers have no gap."""
        rows = [row for row in self.rows(Kind.LOGS) if row[0] == seq]
        assert [row[1] for row in rows] == list(range(1, len(rows) + 1))
        return [(row[3], row[4], row[5]) for row in rows]

    @property
    def unread(self) -> int:
        """Bytes that wait in the socket."""
        return int.from_bytes(fcntl.ioctl(self._sock, termios.FIONREAD, bytes(4)), sys.byteorder)

    def hear_all(self) -> None:
        """What a process has left that is gone."""
        self._sock.settimeout(SECONDS)
        while data := self._sock.recv(1 << 20):
            self.heard += [(kind, _decoded(kind, body)) for kind, body in self._reader.feed(data)]

    def hang_up(self) -> None:
        self._sock.close()

    def quit(self) -> int:
        self.send(Kind.QUIT)
        return self.process.wait(SECONDS)


def _lines(file: IO[bytes]) -> list[str]:
    file.seek(0)
    return file.read().decode().splitlines()


def _decoded(kind: Kind, body: bytes) -> Any:
    return body if kind is Kind.SPENT else orjson.loads(body)


def row(
    seq: int,
    key: str,
    payload: dict[str, Json] | None = None,
    *,
    timeout: int | None = 3600,
    attempt_no: int = 1,
    job_id: UUID | None = None,
    tenant: UUID = DEFAULT_TENANT,
    rest: Mapping[str, Json] | None = None,
) -> bytes:
    """A row of a claim as a store writes it."""
    fields = [
        str(seq),
        str(attempt_no),
        key,
        "" if timeout is None else str(timeout),
        "2",
        str(job_id or uuid4()),
        str(tenant),
        "1767268800000000",
        "api",
        orjson.dumps(rest).decode() if rest else "",
        json.dumps(payload or {}),
    ]
    return "\t".join(fields).encode()
