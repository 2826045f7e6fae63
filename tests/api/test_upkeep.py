"""An inline run does the whole upkeep first: there may be no worker beside it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import cast
from uuid import UUID

from jobplane import Jobplane
from jobplane.core.actors import Actor
from jobplane.core.leases import Reaped
from jobplane.store.base import Answer, AsyncConn, Conn
from jobplane.store.verbs.engine import Expire, Reap, Tidy
from jobplane.store.verbs.verb import Verb
from tests.client import BlockingSqliteStore, SqliteStore

_REAPED = Reaped(UUID(int=1), UUID(int=2), "nothing", 1, "w", None, "lost", "queued", 1, "acme")


class Behind(BlockingSqliteStore):
    """Has a full batch to reap and another to expire, and keeps count of what is asked of it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked = Counter[str]()

    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer:
        return _full_at_first(self.asked, verb) or super().run(verb, conn=conn, actor=actor)


class BehindAsync(SqliteStore):
    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.asked = Counter[str]()

    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer:
        return _full_at_first(self.asked, verb) or await super().run(verb, conn=conn, actor=actor)


def _full_at_first(asked: Counter[str], verb: Verb[Answer]) -> Answer | None:
    """A full batch where a verb comes for the first time and has one."""
    if not isinstance(verb, Reap | Expire | Tidy):
        return None
    name = type(verb).__name__.lower()
    asked[name] += 1
    if asked[name] > 1 or isinstance(verb, Tidy):
        return None
    return cast("Answer", [_REAPED] * verb.limit if isinstance(verb, Reap) else verb.limit)


def test_it_goes_on_while_a_batch_is_full_and_leaves_nothing_out(tmp_path: Path) -> None:
    with Behind(tmp_path / "jobs.db") as store:
        Jobplane(store=store).run_once()

    assert store.asked == {"reap": 2, "expire": 2, "tidy": 1}


async def test_and_so_it_does_beside_a_loop(tmp_path: Path) -> None:
    async with BehindAsync(tmp_path / "jobs.db") as store:
        await Jobplane(async_store=store).run_once_async()

    assert store.asked == {"reap": 2, "expire": 2, "tidy": 1}
