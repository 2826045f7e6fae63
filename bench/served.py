"""A server of the REST API and the web UI on a scratch database, and keys for it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from typing import Final
from uuid import UUID

import httpx2

from bench.contenders import ROOT
from bench.rig import Database
from jobplane import Jobplane

ROLES: Final = ("app", "worker", "scheduler", "admin", "maintenance")


def key(database: Database, role: str, tenant: UUID | None = None) -> str:
    """A new API key."""
    with Jobplane(database.url("admin")) as jp:
        return jp.create_key(role, tenant=tenant)[1]


@contextmanager
def serving(database: Database) -> Generator[tuple[str, int]]:
    """The URL and the process id of a server, which may not answer yet."""
    port = free_port()
    env = {
        **os.environ,
        **{f"JOBPLANE_DATABASE_URL_{role.upper()}": database.url(role) for role in ROLES},
        "JOBPLANE_DATABASE_URL": database.url("app"),
        "JOBPLANE_SERVER_REQUESTS_PER_SECOND": "0",
    }
    words = ["-m", "jobplane", "server", "--http", f"127.0.0.1:{port}", "--log-level", "warning"]
    process = subprocess.Popen([sys.executable, *words], cwd=ROOT, env=env)
    try:
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait()


async def until_answered(ask: Callable[[], Awaitable[httpx2.Response]]) -> None:
    for _ in range(300):
        with suppress(httpx2.TransportError):
            if (await ask()).status_code < 400:
                return
        await asyncio.sleep(0.1)
    raise RuntimeError("the server does not answer")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return found.getsockname()[1]
