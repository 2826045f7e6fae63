"""The protocol of an executor process, from its first frame to its last."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import Final, cast

import orjson

from jobplane.execution.artifacts import Artifacts
from jobplane.execution.endings import traceback_of
from jobplane.execution.handler import Handler
from jobplane.execution.secret_sources import PolicySecrets
from jobplane.worker.executor import pulse
from jobplane.worker.executor.capture import ProcessLog, capture_records
from jobplane.worker.executor.executor import Executor
from jobplane.worker.executor.imports import ImportedModules
from jobplane.worker.executor.job_logs import JobLogs
from jobplane.worker.executor.outbox import Outbox
from jobplane.worker.executor.places import Places
from jobplane.worker.frames import BROKEN, Failed, FrameReader, Kind, Setup, json_frame

FAILED: Final = 3


class ExecutorProcess(asyncio.Protocol):
    """Runs the startup hooks, then passes frames on. Ends the process at once if the supervisor is gone."""

    _handlers: dict[bytes, Handler]
    _transport: asyncio.Transport
    _outbox: Outbox
    _executor: Executor

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        sock: socket.socket,
        setup: Setup,
        board: memoryview,
        voice: ProcessLog,
        program: ImportedModules,
    ) -> None:
        self.exit_code = 0
        self._loop = loop
        self._sock = sock
        self._setup = setup
        self._places = Places(board)
        self._voice = voice
        self._program = program
        self._reader = FrameReader()
        self._closing: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Run the startup hooks and send READY. If a hook raises, send FAILED and exit."""
        self._sock.setblocking(False)
        try:
            await self._start()
        except BaseException as error:  # noqa: BLE001 whatever a hook raises, the supervisor has to know
            await self._loop.sock_sendall(self._sock, make_failed_frame(error))
            self.exit_code = FAILED
            self._loop.stop()

    async def _start(self) -> None:
        handlers, ready = self._program.handlers(), self._program.ready()
        await self._program.start()
        capture_records()
        self._voice.pace(self._loop)
        gc.collect()
        gc.freeze()  # the program itself is not looked at again and again for garbage
        self._handlers = handlers
        await self._loop.create_connection(lambda: self, sock=self._sock)
        self._outbox.send(Kind.READY, orjson.dumps(ready))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=0)  # to be told of every byte that the socket does not take
        outbox = self._outbox = Outbox(self._loop, self._transport, self._setup["worker"])
        journal = outbox.journal = JobLogs(
            self._loop, outbox, self._places.lines, self._setup["log_level"], self._voice.tell
        )
        directory = self._setup["artifacts_dir"]
        artifacts = None if directory is None else Artifacts(Path(directory))
        policy = self._setup["policy"]
        secrets = PolicySecrets(None if policy is None else Path(policy))
        self._executor = Executor(self._setup, self._handlers, self._places, outbox, journal, artifacts, secrets)
        pulse.watch(self._executor.stops, self._tell_from_thread)

    def data_received(self, data: bytes) -> None:
        for kind, body in self._reader.feed(data):
            if kind is Kind.QUIT:
                self._executor.quit(self._close)
            else:
                self._executor.hear(kind, body)

    def pause_writing(self) -> None:
        self._outbox.is_stuck = True

    def resume_writing(self) -> None:
        self._outbox.is_stuck = False
        self._executor.on_written()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._closing is None:
            os._exit(BROKEN)  # nobody to report to: stop at once, also what runs
        self._loop.stop()

    def _tell_from_thread(self, data: bytes) -> None:
        """Send a frame from another thread while the event loop is blocked, unless a frame is half written."""
        if not self._transport.get_write_buffer_size():
            with suppress(OSError):
                self._sock.send(data)

    def _close(self) -> None:
        self._closing = self._loop.create_task(self._leave())

    async def _leave(self) -> None:
        await self._program.stop()
        self._outbox.flush()
        self._transport.close()


def make_failed_frame(error: BaseException) -> bytes:
    """The FAILED frame for this error."""
    return json_frame(Kind.FAILED, Failed(error=traceback_of(error)))
