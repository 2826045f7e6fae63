"""Handlers that break the process that they run in, without ending it."""

import asyncio
import os
import resource
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from jobplane import Context, Jobplane
from jobplane.worker.frames import Kind, frame, head, json_frame

jp = Jobplane("sqlite:///never-opened.db")


def _descriptors() -> Iterator[int]:
    for name in [int(path.name) for path in Path("/proc/self/fd").iterdir()]:
        if name > 2:
            with suppress(OSError):
                os.fstat(name)
                yield name


def _write_everywhere(data: bytes) -> None:
    for descriptor in _descriptors():
        with suppress(OSError):
            os.write(descriptor, data)


def _truncate_everything() -> None:
    for descriptor in _descriptors():
        with suppress(OSError):
            os.ftruncate(descriptor, 0)


def _replace_sockets() -> None:
    null = os.open("/dev/null", os.O_RDWR)
    for descriptor in _descriptors():
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            os.dup2(null, descriptor)


def _spoil(way: str, seq: int) -> None:
    match way:
        case "garbage":
            _write_everywhere(os.urandom(64))
        case "invalid-utf-8":
            _write_everywhere(frame(Kind.DONE, b"[\xff]"))
        case "unknown-job":
            _write_everywhere(json_frame(Kind.DONE, [seq + 1_000_000]))
        case "ready-again":
            _write_everywhere(json_frame(Kind.READY, {"definitions": {}, "version": "", "url": None}))
        case "swallow":
            _write_everywhere(head(Kind.LOGS, 1 << 20))  # and no body: what follows is taken for it
        case "text":
            _write_everywhere(b"\n\n\n\n$ a text that could be the head of a frame")
        case "close":
            os.closerange(3, 200)
        case "replace":
            _replace_sockets()
        case "truncate":
            _truncate_everything()
            _write_everywhere(os.urandom(64))
        case _:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


@jp.job("spoil")
def spoil(ctx: Context, way: str, seconds: float = 0) -> None:
    _spoil(way, 1)
    time.sleep(seconds)


@jp.job("spoil-async")
async def spoil_async(ctx: Context, way: str, seconds: float = 0) -> None:
    _spoil(way, 1)
    await asyncio.sleep(seconds)


@jp.job("nap")
async def nap(ctx: Context, seconds: float = 1) -> None:
    await asyncio.sleep(seconds)
