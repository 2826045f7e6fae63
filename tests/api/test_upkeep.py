"""An inline run does the whole upkeep first: there may be no worker beside it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from jobplane import Jobplane
from tests.client import BlockingSqliteStore, SqliteStore


class Behind(BlockingSqliteStore):
    """Has a full batch to reap and another to expire, and keeps count of what is asked of it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked = Counter[str]()

    def reap(self, *, limit: int = 500) -> int:
        self.asked["reap"] += 1
        return limit if self.asked["reap"] == 1 else super().reap(limit=limit)

    def expire(self, *, limit: int = 1000) -> int:
        self.asked["expire"] += 1
        return limit if self.asked["expire"] == 1 else super().expire(limit=limit)

    def tidy(self) -> int:
        self.asked["tidy"] += 1
        return super().tidy()


class BehindAsync(SqliteStore):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked = Counter[str]()

    async def reap(self, *, limit: int = 500) -> int:
        self.asked["reap"] += 1
        return limit if self.asked["reap"] == 1 else await super().reap(limit=limit)

    async def expire(self, *, limit: int = 1000) -> int:
        self.asked["expire"] += 1
        return limit if self.asked["expire"] == 1 else await super().expire(limit=limit)

    async def tidy(self) -> int:
        self.asked["tidy"] += 1
        return await super().tidy()


def test_it_goes_on_while_a_batch_is_full_and_leaves_nothing_out(tmp_path: Path) -> None:
    with Behind(tmp_path / "jobs.db") as store:
        Jobplane(store=store).run_once()

    assert store.asked == {"reap": 2, "expire": 2, "tidy": 1}


async def test_and_so_it_does_beside_a_loop(tmp_path: Path) -> None:
    async with BehindAsync(tmp_path / "jobs.db") as store:
        await Jobplane(async_store=store).run_once_async()

    assert store.asked == {"reap": 2, "expire": 2, "tidy": 1}
