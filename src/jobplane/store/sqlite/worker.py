"""The SQLite store as a worker's supervisor uses it."""

from __future__ import annotations

from jobplane.store.sqlite.store import SqliteStore


class SqliteWorkerStore(SqliteStore):
    """A call waits `busy_seconds` for the file at most."""

    async def close(self) -> None:
        """Without waiting for whoever holds the file: a worker that leaves has a bound for it."""
        self._store.give_up()
        await super().close()
