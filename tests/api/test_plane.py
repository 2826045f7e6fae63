"""What a Jobplane is beside its verbs: when it connects, what it shares, whom it speaks for."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg
import pytest

import jobplane
from jobplane import (
    Context,
    DeadlinePassed,
    InvalidPayload,
    JobNotFound,
    Jobplane,
    JobStatus,
    StoreBusy,
    UnknownDefinition,
)
from jobplane.api.inline import renewing
from jobplane.core.errors import AlreadyExists, StoreUnavailable
from tests.api.conftest import point_at
from tests.client import Store
from tests.clock import Clock
from tests.database import Database

NOWHERE: Final = "postgresql://nobody@127.0.0.1:1/nothing?connect_timeout=1"
FORKS: Final = """
import os, sys
from jobplane import Jobplane, StoreError

jp = Jobplane(sys.argv[1] or None)

@jp.job("add")
def add(a: int) -> int:
    return a

jp.sync()
add.enqueue(a=1)
child = os.fork()
try:
    add.enqueue(a=2)
except StoreError as error:
    print(error.message, flush=True)
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(sorted(job.payload["a"] for job in jp.list()))
jp.close()
"""


def test_nothing_is_connected_before_the_first_use() -> None:
    plane = Jobplane(NOWHERE)

    @plane.job("add")
    def add(a: int) -> int:
        return a

    assert add(1) == 1
    with pytest.raises(InvalidPayload):
        add.enqueue(a="x")  # pyright: ignore[reportArgumentType]
    with pytest.raises(StoreUnavailable):
        add.enqueue(a=1)


def test_every_public_name_is_there_and_none_is_imported_ahead() -> None:
    assert sorted(jobplane.__all__) == sorted(dir(jobplane))
    assert all(getattr(jobplane, name) is not None for name in jobplane.__all__)
    assert not hasattr(jobplane, "Nothing")

    look = "import sys, jobplane; print(sorted({'pydantic', 'psycopg', 'apsw', 'asyncio'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", look], text=True) == "[]\n"


def test_a_closed_plane_opens_again(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    with jp:
        handle = add.enqueue(a=1)

    assert jp.get(handle).payload == {"a": 1}


def test_one_plane_serves_one_event_loop_after_another(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    async def enqueue() -> UUID:
        async with jp:
            await jp.sync_async()
            return (await add.enqueue_async(a=1)).id

    assert asyncio.run(enqueue()) != asyncio.run(enqueue())
    assert len(list(jp.list())) == 2


async def test_many_tasks_share_one_store(on_loop: Jobplane) -> None:
    @on_loop.job("add")
    def add(a: int) -> int:
        return a

    await on_loop.sync_async()
    await asyncio.gather(*(add.enqueue_async(a=number) for number in range(20)))

    assert len([job async for job in on_loop.list_async(page_size=7)]) == 20


def test_many_threads_share_one_plane(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    threads = [threading.Thread(target=lambda: add.enqueue(a=1)) for _ in range(8)]
    jp.sync()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(list(jp.list())) == 8


def test_a_child_process_opens_its_own_connections(url: str | None, tmp_path: Path) -> None:
    script = tmp_path / "forks.py"
    script.write_text(FORKS)

    said = subprocess.check_output([sys.executable, str(script), url or ""], text=True, timeout=60, env={**os.environ})

    if not (url or "").startswith("sqlite:"):
        assert said == "[1, 2, 2]\n"
    else:
        refusal, found = said.splitlines()
        assert "Start it by spawn" in refusal
        assert found == "[1, 2]"


def test_a_script_that_closes_nothing_ends_without_a_word(url: str | None) -> None:
    """On Python 3.13 each thread of a pool that was left open was waited for in vain, 5 s, and named."""
    script = "import sys, jobplane; jp = jobplane.Jobplane(sys.argv[1] or None); print([*jp.list()])"

    command = [sys.executable, "-c", script, url or ""]
    ended = subprocess.run(command, check=True, text=True, timeout=60, env={**os.environ}, capture_output=True)

    assert ended.stdout == "[]\n"
    assert "thread" not in ended.stderr


def test_a_key_is_defined_once() -> None:
    plane = Jobplane(NOWHERE)

    @plane.job("add")
    def add() -> None: ...

    with pytest.raises(AlreadyExists, match=r"add is defined twice: .*\.add and by .*\.again"):

        @plane.job("add")
        def again() -> None: ...

    assert add.key == "add"


CELL: Final = """
@jp.job("add")
def add(a: int) -> int:
    return a + {more}
"""


def test_a_cell_of_a_notebook_may_be_run_again(tmp_path: Path) -> None:
    names: dict[str, Any] = {"jp": Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}"), "__name__": "__main__"}
    with names["jp"] as plane:
        for more in (1, 2):
            exec(compile(CELL.format(more=more), f"<cell-{more}>", "exec"), names)
            handle = names["add"].enqueue(a=1)
            plane.drain()

            assert plane.result(handle) == 1 + more

        with pytest.raises(AlreadyExists):
            exec(compile(CELL.format(more=3).replace("def add", "def other"), "<cell-3>", "exec"), names)


def test_a_tenant_is_named_by_slug_or_id_and_sees_itself_alone(jp: Jobplane, url: str | None) -> None:
    @jp.job("add")
    def add(a: int) -> int:
        return a

    jp.sync()
    alice, charlie = jp.create_tenant("alice"), jp.create_tenant("charlie")

    handles = [add.options(tenant=name).enqueue(a=1) for name in ("alice", alice.tenant_id, str(alice.tenant_id))]

    assert {handle.tenant_id for handle in handles} == {alice.tenant_id}
    assert len(list(jp.list(tenant="alice"))) == 3
    with Jobplane(url, tenant="charlie") as hers:
        assert list(hers.list()) == []
        for ask in (hers.get, hers.cancel, hers.retry, hers.result):
            with pytest.raises(JobNotFound):
                ask(handles[0].id)
    with pytest.raises(JobNotFound):
        jp.get(handles[0].id, tenant=charlie.tenant_id)
    assert jp.get(handles[0]).status is JobStatus.QUEUED


def test_where_one_owner_holds_the_database_definitions_come_by_themselves(tmp_path: Path) -> None:
    with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}") as plane:

        @plane.job("first", queue="own")
        def first() -> None: ...

        handles = [first.enqueue()]

        @plane.job("second")
        def second() -> None: ...

        handles.append(second.enqueue())

        assert plane.drain() == 2
        assert [plane.get(handle).queue for handle in handles] == ["own", "default"]


def test_a_transaction_that_comes_before_the_first_sync_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    with Jobplane(f"sqlite:///{path}", sqlite="stdlib") as plane, sqlite3.connect(path) as conn:
        plane.sync()

        @plane.job("add")
        def add(a: int) -> int:
            return a

        conn.execute("create table orders (n)")
        conn.execute("begin immediate")
        with pytest.raises(StoreBusy, match=r"jp\.sync\(\) before"):
            add.options(conn=conn).enqueue(a=1)
        conn.rollback()

        plane.sync()
        with conn:
            conn.execute("insert into orders values (1)")
            add.options(conn=conn).enqueue(a=1)
        assert plane.drain() == 1
    conn.close()


def test_elsewhere_an_unsynced_definition_is_unknown(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    point_at(db, monkeypatch)
    with Jobplane() as plane:

        @plane.job("add")
        def add(a: int) -> int:
            return a

        with pytest.raises(UnknownDefinition, match=r"jp\.sync\(\)"):
            add.enqueue(a=1)
        [synced] = plane.sync()
        definition = plane.get_definition(synced.key)
        assert add.enqueue(a=1).created

    assert (definition.key, definition.kind, definition.origin, definition.max_attempts) == ("add", "python", "code", 3)


async def test_a_store_may_be_given(store: Store) -> None:
    plane = Jobplane(async_store=store)

    @plane.job("add")
    async def add(a: int) -> int:
        return a

    await plane.sync_async()
    handle = await add.enqueue_async(a=1)
    async with plane:
        assert await plane.drain_async() == 1

    assert await store.result(handle.tenant_id, handle.id) == 1


def test_a_lease_is_renewed_while_its_handler_runs(jp: Jobplane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewing, "LEASE_SECONDS", 0.03)

    @jp.job("long", max_attempts=1)
    def long(ctx: Context) -> bool:
        first = jp.get(ctx.job.id).lease_expires_at
        until = time.monotonic() + 10
        while jp.get(ctx.job.id).lease_expires_at == first and time.monotonic() < until:
            time.sleep(0.01)
        return jp.get(ctx.job.id).lease_expires_at != first

    jp.sync()
    handle = long.enqueue()
    jp.drain()

    assert jp.result(handle) is True


def test_a_blocking_handler_meets_its_deadline_at_a_checkpoint(jp: Jobplane) -> None:
    @jp.job("long", timeout_seconds=1, max_attempts=1)
    def long(ctx: Context) -> None:
        assert ctx.deadline
        assert ctx.deadline <= datetime.now(UTC) + timedelta(seconds=1)
        while datetime.now(UTC) < ctx.deadline:
            time.sleep(0.01)
        with pytest.raises(DeadlinePassed):
            ctx.checkpoint()
        ctx.checkpoint()

    jp.sync()
    handle = long.enqueue()
    jp.drain()

    job = jp.get(handle)
    assert (job.status, job.reason) == (JobStatus.DEAD_LETTER, "timeout")


def test_an_end_waits_for_a_transaction_that_has_the_lease_locked(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    point_at(db, monkeypatch)
    with Jobplane() as plane, psycopg.connect(db.url("app")) as conn:

        @plane.job("canceled-meanwhile")
        def handler(ctx: Context) -> None:
            plane.cancel(ctx.job.id, conn=conn)
            threading.Timer(0.3, conn.commit).start()

        plane.sync()
        handle = handler.enqueue()
        plane.drain()

        assert plane.get(handle).status is JobStatus.SUCCEEDED


def test_an_enqueue_rolled_back_never_was(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    point_at(db, monkeypatch)
    with Jobplane() as plane, psycopg.connect(db.url("app")) as conn:

        @plane.job("add")
        def add(a: int) -> int:
            return a

        plane.sync()
        lost = add.options(conn=conn).enqueue(a=1)
        seen = plane.get(lost, conn=conn).payload
        conn.rollback()
        [kept] = plane.enqueue_many([add.call(a=2)], conn=conn, raise_refused=True)
        conn.commit()

        assert seen == {"a": 1}
        assert [job.id for job in plane.list()] == [kept.id]


def test_a_lost_workers_job_runs_again_here(db: Database, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    point_at(db, monkeypatch)
    with Jobplane() as plane:

        @plane.job("add")
        def add(ctx: Context) -> int:
            return ctx.attempt

        plane.sync()
        handle = add.enqueue()
        db.connect("worker").execute("select jobplane.claim('default', 'gone')")
        ran = [plane.drain()]
        clock.advance(31)
        ran.append(plane.drain())
        clock.advance(1)
        ran.append(plane.drain())

        assert ran == [0, 0, 1]
        assert plane.result(handle) == 2
