"""`drain` goes on until nothing is due, also while the transaction of another has locked due jobs."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from jobplane import Context, JobHandle, Jobplane, JobStatus, Retry
from jobplane.api.inline.inline import Inline
from jobplane.core.actors import Actor
from jobplane.store.base import Answer, Conn
from jobplane.store.verbs.engine import Promote
from jobplane.store.verbs.verb import Verb
from tests.api.conftest import point_at
from tests.client import BlockingSqliteStore
from tests.database import Database


@pytest.fixture
def jp(db: Database, monkeypatch: pytest.MonkeyPatch) -> Jobplane:
    point_at(db, monkeypatch)
    return Jobplane()


def after_each_claim(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Do something each time that an inline run has claimed what it could."""
    run_due = Inline._run_due  # pyright: ignore[reportPrivateUsage]

    async def run_due_and_act(self: Inline, limit: int | None = None) -> int:
        ran = await run_due(self, limit)
        act()
        return ran

    monkeypatch.setattr(Inline, "_run_due", run_due_and_act)


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    found = [record.message for record in caplog.records if record.name == "jobplane.run"]
    assert all(each.startswith("Stopped draining while due jobs are locked by another transaction.") for each in found)
    return found


def fail_once(jp: Jobplane) -> None:
    """Leave a job that is due and waits to be promoted."""

    @jp.job("again")
    def again(ctx: Context) -> None:
        if ctx.attempt == 1:
            raise Retry(after=0)

    jp.sync()
    again.enqueue()
    assert jp.run_once() == 1


def test_a_job_that_another_promotes_and_has_not_committed_is_waited_for(
    jp: Jobplane, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with jp, db.connect("worker", autocommit=False) as other:
        fail_once(jp)
        assert other.execute("select jobplane.promote()").fetchall() == [(1,)]
        after_each_claim(monkeypatch, other.commit)

        assert jp.drain() == 1


async def test_and_so_it_is_beside_a_loop(jp: Jobplane, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with db.connect("worker", autocommit=False) as other:
        async with jp:
            fail_once(jp)
            assert other.execute("select jobplane.promote()").fetchall() == [(1,)]
            after_each_claim(monkeypatch, other.commit)

            assert await jp.drain_async() == 1


def test_a_held_job_that_another_lets_go_and_has_not_committed_is_waited_for(
    jp: Jobplane, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    @jp.job("held")
    def held() -> None: ...

    with jp, db.connect("worker", autocommit=False) as other:
        jp.sync()
        held.enqueue()
        db.own("update jobplane.definitions set active = false where key = 'held'")
        assert jp.drain() == 0
        db.own("update jobplane.definitions set active = true where key = 'held'")
        assert other.execute("select jobplane.sweep()").fetchall() == [(1,)]
        after_each_claim(monkeypatch, other.commit)

        assert jp.drain() == 1


def test_a_due_job_that_stays_locked_is_left_with_a_warning(
    jp: Jobplane, db: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A program that has locked the job itself, in a transaction of its own, would wait for ever."""
    monkeypatch.setattr("jobplane.api.inline.inline._LOCKED_SECONDS", 0.1)
    with jp, db.connect("worker", autocommit=False) as other:
        fail_once(jp)
        other.execute("select jobplane.promote()")

        assert jp.drain() == 0

    assert len(warnings(caplog)) == 1


def enqueue_one(jp: Jobplane) -> JobHandle:
    """A job that is due and ready."""

    @jp.job("once")
    def once() -> None: ...

    jp.sync()
    return once.enqueue()


def test_a_ready_job_that_another_cancels_and_then_does_not_is_waited_for(
    jp: Jobplane, db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with jp, db.connect("app", autocommit=False) as other:
        job = enqueue_one(jp)
        assert jp.cancel(job, conn=other).status is JobStatus.CANCELED
        after_each_claim(monkeypatch, other.rollback)

        assert jp.drain() == 1


async def test_and_so_it_is_beside_a_loop_too(jp: Jobplane, db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with db.connect("app", autocommit=False) as other:
        async with jp:
            job = enqueue_one(jp)
            assert jp.cancel(job, conn=other).status is JobStatus.CANCELED
            after_each_claim(monkeypatch, other.rollback)

            assert await jp.drain_async() == 1


def test_one_that_another_does_cancel_is_not(
    jp: Jobplane, db: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with jp, db.connect("app", autocommit=False) as other:
        job = enqueue_one(jp)
        jp.cancel(job, conn=other)
        after_each_claim(monkeypatch, other.commit)

        assert jp.drain() == 0

    assert warnings(caplog) == []


def test_a_ready_job_that_stays_locked_is_left_with_a_warning(
    jp: Jobplane, db: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("jobplane.api.inline.inline._LOCKED_SECONDS", 0.1)
    with jp, db.connect("app", autocommit=False) as other:
        jp.cancel(enqueue_one(jp), conn=other)

        assert jp.drain() == 0

    assert len(warnings(caplog)) == 1


class Contended(BlockingSqliteStore):
    """Another program has the write lock when this one promotes for the second time."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, driver="stdlib", busy_seconds=0.05)
        self._path = path
        self._promotions = 0

    def run(self, verb: Verb[Answer], *, conn: Conn | None = None, actor: Actor | None = None) -> Answer:
        is_promotion = type(verb) is Promote
        self._promotions += is_promotion
        with closing(sqlite3.connect(self._path, isolation_level=None)) as other:
            if is_promotion and self._promotions == 2:
                other.execute("begin immediate")
            return super().run(verb, conn=conn, actor=actor)


def test_a_promotion_that_finds_a_locked_file_is_made_up_for(tmp_path: Path) -> None:
    with Contended(tmp_path / "jobs.db") as store:
        jp = Jobplane(store=store)
        fail_once(jp)

        assert jp.drain() == 1
