"""A server that takes the login and then says no more, as a pooler that is paused does."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.database import Database
from tests.faults.proxy import Line, Proxy, running

# How the answer to a statement begins: parsed, bound, or the columns of its rows.
_ANSWERS: Final = (b"1", b"2", b"T")


class SilentServer(Proxy):
    """A connection on which it kept an answer back stays silent for good; new ones are answered once it is over."""

    def __init__(self, upstream: Path) -> None:
        super().__init__(upstream)
        self.is_silent = True
        self._asked = threading.Event()

    def url(self, db: Database) -> str:
        return f"postgresql://jobplane_worker@127.0.0.1:{self.port}/{db.name}"

    async def _answer(self, line: Line, upstream: asyncio.StreamReader) -> None:
        mute = False
        with suppress(OSError):
            while data := await upstream.read(65536):
                if self.is_silent and data.startswith(_ANSWERS):
                    mute = True
                    self._asked.set()
                if not mute:
                    line.client.write(data)
                    await line.client.drain()
        line.cut()

    def until_asked(self) -> None:
        """Until somebody waits for an answer."""
        assert self._asked.wait(20)


@contextmanager
def silence(db: Database) -> Generator[SilentServer]:
    """Before the real server, until the block ends."""
    with running(SilentServer(db.cluster.server.socket_dir / ".s.PGSQL.5432")) as server:
        yield server
