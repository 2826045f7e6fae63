"""Many calls at once: each row has its own answer, whoever it is for and however many there are."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias
from uuid import UUID

import pytest

from jobplane import JobFunction, Jobplane, Refused, StoreUnavailable, TenantNotFound
from jobplane.api import batch
from jobplane.core.actors import Actor
from jobplane.store.base import Answer, AsyncConn, Conn
from jobplane.store.verbs.jobs import Enqueue
from jobplane.store.verbs.verb import Verb
from tests.client import BlockingSqliteStore, SqliteStore

Add: TypeAlias = JobFunction[[int], [int], int]

NOBODY = UUID(int=404)


@pytest.fixture
def add(jp: Jobplane) -> Add:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    return add


def test_a_tenant_that_is_not_there_costs_its_own_rows_alone(jp: Jobplane, add: Add) -> None:
    jp.create_tenant("acme")
    calls = [add.call(1), add.options(tenant=NOBODY).call(2), add.options(tenant="nobody").call(3)]

    rows = jp.enqueue_many([*calls, add.options(tenant="acme").call(4)])

    assert [row.outcome for row in rows] == ["created", "refused", "refused", "created"]
    assert all(isinstance(row.error, TenantNotFound) for row in rows if isinstance(row, Refused))


async def test_and_so_they_do_beside_a_loop(on_loop: Jobplane, add: Add) -> None:
    rows = await on_loop.enqueue_many_async([add.options(tenant=NOBODY).call(1), add.call(2)])

    assert [row.outcome for row in rows] == ["refused", "created"]


def test_more_than_a_store_takes_at_once_goes_in_portions(
    jp: Jobplane, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "PORTION", 2)
    rows = jp.enqueue_many((add.call(n) for n in range(5)), raise_refused=True)

    assert [jp.get(row).payload for row in rows] == [{"a": n} for n in range(5)]


def test_a_portion_is_what_a_store_takes(jp: Jobplane, add: Add) -> None:
    rows = jp.enqueue_many(add.call(n) for n in range(batch.PORTION + 1))

    assert all(row.created for row in rows)


class Cut(BlockingSqliteStore):
    """A database that goes away after so many enqueues."""

    left = 0

    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer:
        self.left -= isinstance(verb, Enqueue)
        if self.left < 0 and isinstance(verb, Enqueue):
            raise StoreUnavailable("gone")
        return super().run(verb, conn=conn, actor=actor)


class CutAsync(SqliteStore):
    left = 0

    async def run(self, verb: Verb[Answer], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> Answer:
        self.left -= isinstance(verb, Enqueue)
        if self.left < 0 and isinstance(verb, Enqueue):
            raise StoreUnavailable("gone")
        return await super().run(verb, conn=conn, actor=actor)


def test_what_went_in_before_an_outage_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "PORTION", 2)
    with Cut(tmp_path / "jobs.db") as store:
        plane = Jobplane(store=store)

        @plane.job("add")
        def add(a: int) -> int:
            return a

        plane.sync()
        plane.create_tenant("acme")
        calls = [*(add.call(n) for n in range(3)), add.options(tenant="acme").call(3)]
        store.left = 1
        rows = plane.enqueue_many(calls)

        assert [row.outcome for row in rows] == ["created", "created", "refused", "refused"]
        assert [type(row.error) for row in rows[2:]] == [StoreUnavailable, StoreUnavailable]
        assert [job.id for job in plane.list()] == [rows[1].id, rows[0].id]
        with pytest.raises(StoreUnavailable):
            plane.enqueue_many(calls)


async def test_and_so_it_is_beside_a_loop(tmp_path: Path) -> None:
    async with CutAsync(tmp_path / "jobs.db") as store:
        plane = Jobplane(async_store=store)

        @plane.job("add")
        def add(a: int) -> int:
            return a

        await plane.sync_async()
        await plane.create_tenant_async("acme")
        calls = [add.call(1), add.options(tenant="acme").call(2)]
        store.left = 1
        rows = await plane.enqueue_many_async(calls)

        assert [row.outcome for row in rows] == ["created", "refused"]
        with pytest.raises(StoreUnavailable):
            await plane.enqueue_many_async(calls)
