"""The SQLite store as a worker's supervisor uses it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import cast

from jobplane.core.lines import End, Reaped, Renewal, Taken, Ticket, Unsettled
from jobplane.store.sqlite.blocking import BlockingSqliteStore
from jobplane.store.sqlite.store import SqliteStore
from jobplane.store.sqlite.verbs import worker

Progress = Mapping[int, tuple[float | None, str | None]]


class BlockingSqliteLineStore(BlockingSqliteStore):
    """The verbs of a worker, each in one transaction."""

    def give_up(self) -> None:
        """Let no call wait for the file any more, until it is closed."""
        self._file.give_up()

    def claim_lines(self, queue: str, worker_id: str, *, limit: int, lease_seconds: int) -> Taken:
        return self._write(lambda db, now: worker.claim_lines(db, now, queue, worker_id, limit, lease_seconds))

    def renew_all(
        self, tickets: Sequence[Ticket], *, lease_seconds: int, begun: Sequence[int], progress: Progress
    ) -> list[Renewal]:
        return self._write(lambda db, now: worker.renew_all(db, now, tickets, lease_seconds, begun, progress))

    def settle_all(self, ends: Sequence[End | Ticket], *, max_interruptions: int) -> list[Unsettled]:
        return self._write(lambda db, now: worker.settle_all(db, now, ends, max_interruptions))

    def reap_all(self, *, limit: int) -> list[Reaped]:
        return self._write(lambda db, now: worker.reap_all(db, now, limit))


class SqliteLineStore(SqliteStore):
    """The store of `jobplane.store.lines.LineStore` on SQLite; a call waits `busy_seconds` for the file at most."""

    _blocking = BlockingSqliteLineStore

    @property
    def _lines(self) -> BlockingSqliteLineStore:
        return cast("BlockingSqliteLineStore", self._store)

    async def close(self) -> None:
        """Without waiting for whoever keeps the file: a worker that leaves has a bound for it."""
        self._lines.give_up()
        await super().close()

    async def claim_lines(
        self,
        queue: str,
        worker_id: str,
        *,
        limit: int,
        lease_seconds: int,
        soon: Callable[[Taken], None] | None = None,
    ) -> Taken:
        return await self._run(
            lambda: self._lines.claim_lines(queue, worker_id, limit=limit, lease_seconds=lease_seconds)
        )

    async def renew_all(
        self,
        tickets: Sequence[Ticket],
        *,
        lease_seconds: int,
        begun: Sequence[int] = (),
        progress: Progress | None = None,
    ) -> list[Renewal]:
        said = progress or {}
        return await self._run(
            lambda: self._lines.renew_all(tickets, lease_seconds=lease_seconds, begun=begun, progress=said)
        )

    async def settle_all(self, ends: Sequence[End | Ticket], *, max_interruptions: int = 20) -> list[Unsettled]:
        return await self._run(lambda: self._lines.settle_all(ends, max_interruptions=max_interruptions))

    async def reap_all(self, *, limit: int = 500) -> list[Reaped]:
        return await self._run(lambda: self._lines.reap_all(limit=limit))
