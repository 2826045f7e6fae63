"""jp.logs and jp.search_logs, and their twins: to the end, and on while the job runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Generator
from datetime import UTC, datetime
from queue import Queue
from typing import Final

import pytest

from jobplane import Invalid, JobHandle, JobNotFound, Jobplane, LogLine
from jobplane.core.logs import LogLevel, NewLogLine
from jobplane.core.model import Outcome
from jobplane.opening import connect_blocking
from tests.client import BlockingOver, BlockingStore
from tests.leases import Held, settlement

AT: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECONDS: Final = 30


class Hand:
    """A worker's part, played by the test."""

    def __init__(self, store: BlockingStore) -> None:
        self._store = store
        self._lines = 0

    def take(self) -> Held:
        self._lines = 0
        self._store.promote()
        [lease] = self._store.claim("default", "hand").leases
        return lease

    def log(self, lease: Held, *messages: str, level: LogLevel = "info") -> None:
        ticket = lease
        lines = [NewLogLine(ticket, self._lines + n, AT, level, text) for n, text in enumerate(messages, start=1)]
        self._lines += len(lines)
        assert self._store.log_lines(lines) == []

    def end(self, lease: Held, outcome: Outcome = Outcome.SUCCEEDED) -> None:
        [answer] = self._store.settle([settlement(lease=lease, outcome=outcome, retry_after=0)])
        assert answer.accepted


@pytest.fixture
def job(jp: Jobplane) -> JobHandle:
    @jp.job("report")
    def report() -> None: ...

    jp.sync()
    return report.enqueue()


@pytest.fixture
def hand(url: str | None) -> Generator[Hand]:
    store = connect_blocking(url)
    yield Hand(BlockingOver(store))
    store.close()


def test_a_log_is_read_to_its_end_over_many_pages(jp: Jobplane, job: JobHandle, hand: Hand) -> None:
    hand.log(hand.take(), *map(str, range(2500)))

    assert [line.message for line in jp.logs(job)] == [str(n) for n in range(2500)]
    assert [line.message for line in jp.logs(str(job.id))] == [str(n) for n in range(2500)]


def test_one_attempt_of_several(jp: Jobplane, job: JobHandle, hand: Hand) -> None:
    for attempt in ("first", "second", "third"):
        lease = hand.take()
        hand.log(lease, attempt)
        hand.end(lease, Outcome.FAILED)

    assert [[line.message for line in jp.logs(job, attempt=n)] for n in (1, 2, 3, 4)] == [
        ["first"],
        ["second"],
        ["third"],
        [],
    ]
    assert [line.message for line in jp.logs(job, attempt=2, follow=True)] == ["second"]
    assert [line.message for line in jp.logs(job, follow=True)] == ["first", "second", "third"]
    with pytest.raises(Invalid):
        list(jp.logs(job, attempt=0))


def test_who_follows_sees_each_line_and_stops_with_the_job(jp: Jobplane, job: JobHandle, hand: Hand) -> None:
    seen: Queue[LogLine | None] = Queue()

    def follow() -> None:
        for line in jp.logs(job, follow=True):
            seen.put(line)
        seen.put(None)

    reader = threading.Thread(target=follow)
    reader.start()
    for attempt in (1, 2):
        lease = hand.take()
        for message in ("one", "two"):
            hand.log(lease, message)
            found = seen.get(timeout=SECONDS)
            assert found
            assert (found.attempt_no, found.message) == (attempt, message)
        hand.log(lease, "the last word")
        hand.end(lease, Outcome.FAILED if attempt == 1 else Outcome.SUCCEEDED)
        found = seen.get(timeout=SECONDS)
        assert found
        assert found.message == "the last word"

    assert seen.get(timeout=SECONDS) is None
    reader.join(SECONDS)


async def test_the_twin_follows_on_the_loop(on_loop: Jobplane, job: JobHandle, hand: Hand) -> None:
    lease = await asyncio.to_thread(hand.take)
    seen: list[str] = []
    async with asyncio.timeout(SECONDS):
        await asyncio.to_thread(hand.log, lease, "one")
        async for line in on_loop.logs_async(job, follow=True):
            seen.append(line.message)
            if line.message == "one":
                await asyncio.to_thread(hand.log, lease, "two")
                await asyncio.to_thread(hand.end, lease)

    assert seen == ["one", "two"]
    assert [line.message async for line in on_loop.logs_async(job, attempt=1)] == seen


def test_charlie_follows_nothing_of_alices(jp: Jobplane, job: JobHandle, hand: Hand) -> None:
    hand.log(hand.take(), "secret")
    jp.create_tenant("charlie")

    for follow in (False, True):
        with pytest.raises(JobNotFound):
            list(jp.logs(job.id, tenant="charlie", follow=follow))
    assert jp.search_logs("secret", tenant="charlie").lines == []
    assert jp.search_logs("secret", job=job.id, tenant="charlie").lines == []


async def test_both_twins_search(on_loop: Jobplane, job: JobHandle, hand: Hand) -> None:
    await asyncio.to_thread(lambda: hand.log(hand.take(), "needle in hay", "hay"))

    found = await on_loop.search_logs_async("NEEDLE", definitions=["report"])

    assert await asyncio.to_thread(on_loop.search_logs, "needle") == found
    assert [(hit.job_id, hit.definition_key, hit.line.message) for hit in found.lines] == [
        (job.id, "report", "needle in hay")
    ]
    assert found.scanned_all
    with pytest.raises(Invalid):
        await on_loop.search_logs_async("x", definitions="report")


async def test_both_twins_search_in_one_job_from_a_level_on(on_loop: Jobplane, job: JobHandle, hand: Hand) -> None:
    def write() -> None:
        for lease in (hand.take(), hand.take()):
            hand.log(lease, "needle")
            hand.log(lease, "bent needle", level="warning")

    await asyncio.to_thread(on_loop.enqueue, "report")
    await asyncio.to_thread(write)

    for named in (job, await on_loop.get_async(job), job.id, str(job.id)):
        found = await on_loop.search_logs_async("needle", level="warning", job=named)
        assert await asyncio.to_thread(on_loop.search_logs, "needle", level="warning", job=named) == found
        assert [(hit.job_id, hit.line.message) for hit in found.lines] == [(job.id, "bent needle")]
    with pytest.raises(Invalid, match="Name a job by its handle or its UUID"):
        await on_loop.search_logs_async("needle", job="report")
    with pytest.raises(Invalid, match='level must be debug, info, warning or error, not "loud"'):
        await on_loop.search_logs_async("needle", level="loud")  # pyright: ignore[reportArgumentType]
