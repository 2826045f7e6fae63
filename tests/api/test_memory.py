"""`:memory:` is one private file for each Jobplane, whichever of its verbs comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from jobplane import Jobplane
from jobplane.api.stores import Stores

URL: Final = "sqlite:///:memory:"


@pytest.fixture
def plane() -> Generator[Jobplane]:
    with Jobplane(URL) as plane:
        yield plane


def test_what_a_blocking_verb_enqueued_runs_on_a_loop(plane: Jobplane) -> None:
    @plane.job("add")
    def add(a: int) -> int:
        return a

    handle = add.enqueue(a=1)

    assert asyncio.run(plane.drain_async()) == 1
    assert plane.result(handle) == 1


def test_what_a_loop_enqueued_runs_without_one(plane: Jobplane) -> None:
    @plane.job("add")
    async def add(a: int) -> int:
        return a

    handle = asyncio.run(add.enqueue_async(a=1))

    assert plane.drain() == 1
    assert plane.result(handle) == 1


def test_a_drain_runs_what_an_async_handler_enqueued(plane: Jobplane) -> None:
    ran: list[str] = []

    @plane.job("child")
    def child() -> None:
        ran.append("child")

    @plane.job("parent")
    async def parent() -> None:
        ran.append("parent")
        await child.enqueue_async()

    parent.enqueue()

    assert plane.drain() == 2
    assert ran == ["parent", "child"]


def test_a_drain_on_a_loop_runs_what_a_blocking_handler_enqueued(plane: Jobplane) -> None:
    ran: list[str] = []

    @plane.job("child")
    async def child() -> None:
        ran.append("child")

    @plane.job("parent")
    def parent() -> None:
        ran.append("parent")
        child.enqueue()

    parent.enqueue()

    assert asyncio.run(plane.drain_async()) == 2
    assert ran == ["parent", "child"]


def test_it_stays_while_one_of_the_stores_is_open_and_goes_with_the_last(plane: Jobplane) -> None:
    @plane.job("add")
    def add(a: int) -> int:
        return a

    async def enqueue() -> None:
        async with plane:
            await add.enqueue_async(a=2)

    add.enqueue(a=1)
    asyncio.run(enqueue())
    kept = [job.payload for job in plane.list()]
    plane.close()

    assert kept == [{"a": 2}, {"a": 1}]
    assert list(plane.list()) == []


def test_two_planes_share_nothing(plane: Jobplane) -> None:
    @plane.job("add")
    def add(a: int) -> int:
        return a

    add.enqueue(a=1)

    with Jobplane(URL) as other:
        assert list(other.list()) == []


def test_it_leaves_no_descriptors_in_a_process_that_runs_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Stores, "is_frugal", True)

    def used() -> int:
        with Jobplane(URL) as passing:
            assert list(passing.list()) == []
        return len([*Path("/proc/self/fd").iterdir()])

    assert used() == used() == used()
