"""A program that waits for a job that nobody can run is told so, once."""

from __future__ import annotations

import logging
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest

from jobplane import Jobplane, StoreBusy
from jobplane.control import stuck
from jobplane.control.access import Access, Answer
from jobplane.store.verbs.jobs import Explain
from jobplane.store.verbs.verb import Verb
from tests.migrations.processes import until


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stuck, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(stuck, "AGAIN_SECONDS", 0.05)


def warnings(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.name == "jobplane" and "nobody" in record.getMessage()]


def test_a_job_without_a_worker_is_warned_of_once(jp: Jobplane, caplog: pytest.LogCaptureFixture) -> None:
    @jp.job("paint", queue="colours")
    def paint() -> None: ...

    jp.sync()
    job = paint.enqueue()

    with pytest.raises(TimeoutError):
        jp.wait(job, timeout=0.5)

    [warning] = warnings(caplog)
    assert warning.levelname == "WARNING"
    told = warning.getMessage()
    assert re.fullmatch(rf'Job {job.id} .* nobody can run it\. .*No live worker serves queue "colours"\..*', told)
    assert warning.__dict__["gates"] == ["queue_not_served", "no_worker"]


async def test_a_held_job_is_warned_of_with_its_gate(on_loop: Jobplane, caplog: pytest.LogCaptureFixture) -> None:
    @on_loop.job("paint")
    def paint() -> None: ...

    await on_loop.sync_async()
    job = await paint.enqueue_async()
    await on_loop.disable_definition_async("paint")
    await on_loop.drain_async()

    with pytest.raises(TimeoutError):
        await on_loop.wait_async(job, timeout=0.5)

    [warning] = warnings(caplog)
    assert "held_by: definition_inactive" in warning.getMessage()
    assert warning.__dict__["held_by"] == "definition_inactive"


def count_looks(monkeypatch: pytest.MonkeyPatch, *, failing: int = 0) -> list[UUID]:
    """The jobs that a caller looked at to see why they wait; the first of these looks fail."""
    looks = list[UUID]()
    peek = Access.peek

    async def look(self: Access, verb: Verb[Answer], *, conn: Any = None) -> Answer:
        asked: object = verb
        if isinstance(asked, Explain):
            looks.append(asked.job_id)
            if len(looks) <= failing:
                raise StoreBusy("locked")
        return await peek(self, verb, conn=conn)

    monkeypatch.setattr(Access, "peek", look)
    return looks


def test_a_look_that_fails_is_repeated(
    jp: Jobplane, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = count_looks(monkeypatch, failing=2)

    @jp.job("paint")
    def paint() -> None: ...

    jp.sync()

    with pytest.raises(TimeoutError):
        jp.wait(paint.enqueue(), timeout=1)

    assert len(warnings(caplog)) == 1
    assert len(looks) == 3


def test_a_job_whose_last_worker_goes_later_is_warned_of_then(
    jp: Jobplane, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, told = count_looks(monkeypatch), list[int]()

    @jp.job("first")
    def first() -> None:
        until(lambda: len(looks) > 1, 10)
        told.append(len(warnings(caplog)))

    @jp.job("second")
    def second() -> None: ...

    jp.sync()
    first.enqueue()
    job = second.enqueue()
    with ThreadPoolExecutor(1) as thread:
        waits = thread.submit(jp.wait, job, timeout=60)
        jp.run_once(limit=1)
        until(lambda: bool(warnings(caplog)), 10)
        jp.drain()
        waits.result()

    assert told == [0]
    assert len(warnings(caplog)) == 1


@pytest.mark.parametrize("delay", [0, 600])
def test_a_job_whose_worker_is_busy_or_whose_time_has_not_come_is_not(
    jp: Jobplane, caplog: pytest.LogCaptureFixture, delay: int
) -> None:
    waited = list[bool]()

    @jp.job("first")
    def first() -> None:
        with pytest.raises(TimeoutError):
            jp.wait(second.options(delay=delay).enqueue(), timeout=0.5)
        waited.append(True)

    @jp.job("second")
    def second() -> None: ...

    jp.sync()
    first.enqueue()
    jp.drain()

    assert waited == [True]
    assert warnings(caplog) == []
