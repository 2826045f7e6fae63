from __future__ import annotations

import asyncio
import time
from collections import Counter
from pathlib import Path
from typing import Any, cast
from uuid import UUID

import pytest

from jobplane import opening
from jobplane.config import Config
from jobplane.core.leases import Claimed, Lease
from jobplane.core.model import DEFAULT_TENANT, Document, NewJob, NewWorker, Outcome
from jobplane.process.contact import Connection, Contact
from jobplane.process.loop import Signal
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fetcher import Fetcher, in_order
from jobplane.worker.fleet import Fleet
from jobplane.worker.fleet.verdict import STRANGER_SECONDS
from jobplane.worker.journal import Journal
from jobplane.worker.logbook import Logbook
from jobplane.worker.registration import Registration
from jobplane.worker.renewer import Renewer
from jobplane.worker.settings import WorkerSettings
from jobplane.worker.settler import Settler
from tests.client import Over
from tests.leases import end
from tests.worker.settings import settings


def test_each_queue_is_first_as_often_as_its_weight_says() -> None:
    firsts = Counter(in_order({"a": 3, "b": 1}, woken=())[0] for _ in range(4000))

    assert 2850 < firsts["a"] < 3150
    assert firsts["a"] + firsts["b"] == 4000


def test_a_queue_that_was_woken_goes_first() -> None:
    assert {in_order({"a": 1000, "b": 1}, woken={"b"})[0] for _ in range(100)} == {"b"}


class Roomy:
    """A fleet with room, beside a renewer that has nothing to renew."""

    def room(self) -> int:
        return 10

    def quota(self, queue: str) -> int:
        return 10

    def deal(self, claimed: Claimed, asked_at: float, queue: str) -> list[Lease]:
        return []

    async def renew_all(self) -> None: ...


async def test_a_queue_that_is_missing_is_made_again(tmp_path: Path) -> None:
    stores = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    await Over(stores.claims).register_worker(NewWorker(worker_id="w", queues=[]))
    told = settings({"vanished": 1}, poll_seconds=0.01)
    fetcher = _fetcher(stores.claims, told)

    await fetcher.step()

    assert "vanished" in [queue.name for queue in await Over(stores.claims).queues()]
    await stores.close()


async def test_who_has_taken_all_there_is_looks_again_soon_and_then_less_and_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    await Over(stores.claims).put_definitions([{"key": "known", "kind": "python"}])
    await Over(stores.claims).enqueue(DEFAULT_TENANT, [NewJob(definition="known")])
    told = settings({"default": 1}, poll_seconds=60)
    fetcher = _fetcher(stores.claims, told)
    rests: list[float] = []
    rest = Fetcher._rest  # pyright: ignore[reportPrivateUsage]

    async def noted(fetcher: Fetcher, seconds: float) -> None:
        rests.append(seconds)
        await rest(fetcher, seconds)

    monkeypatch.setattr(Fetcher, "_rest", noted)
    began = time.monotonic()

    for _ in range(5):
        await fetcher.step()

    assert rests == pytest.approx([0.005, 0.02, 0.08, 0.32, 1.28])
    assert time.monotonic() - began >= 0.75 * sum(rests)
    await stores.close()


async def test_who_is_woken_rests_no_longer(tmp_path: Path) -> None:
    stores = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    await Over(stores.claims).put_queues(["default"])
    told = settings({"default": 1}, poll_seconds=3600)
    fetcher = _fetcher(stores.claims, told)
    step = asyncio.create_task(fetcher.step())
    assert not (await asyncio.wait({step}, timeout=0.5))[0]

    fetcher.on_woken(None)

    await asyncio.wait_for(step, 60)
    await stores.close()


async def test_idle_workers_look_again_at_different_times_within_a_poll(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    await Over(stores.claims).put_queues(["default"])
    told = settings({"default": 1}, poll_seconds=2)
    rests: list[float] = []

    async def woken(_: Signal, seconds: float) -> bool:
        rests.append(seconds / told.config.poll_seconds)
        return True

    monkeypatch.setattr(Signal, "wait", woken)

    for _ in range(40):
        await _fetcher(stores.claims, told).step()

    assert len(rests) == 40
    assert 0.5 < min(rests) < max(rests) - 0.1 <= 0.9
    await stores.close()


@pytest.mark.parametrize(
    ("poll", "hears", "rests"),
    [(1.0, True, [4.0, 5.0, 5.0]), (1.0, False, [1.0, 1.0, 1.0]), (0.5, True, [0.5] * 3), (60.0, True, [60.0] * 3)],
)
async def test_who_hears_that_the_upkeep_is_done_polls_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, poll: float, hears: bool, rests: list[float]
) -> None:
    """The upkeep wakes it within a second: one that polls more often than that goes on to do so."""
    stores = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    await Over(stores.claims).put_queues(["default"])
    told = settings({"default": 1}, poll_seconds=poll)
    fetcher, noted = _fetcher(stores.claims, told, listens=True), list[float]()

    async def rest(_: Fetcher, seconds: float) -> None:
        noted.append(seconds)

    monkeypatch.setattr(Fetcher, "_rest", rest)
    if hears:
        fetcher.heard_upkeep()

    for _ in range(3):
        await fetcher.step()

    assert noted == rests
    await stores.close()


async def test_who_hears_nothing_of_the_upkeep_any_more_polls_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    await Over(stores.claims).put_queues(["default"])
    told = settings({"default": 1}, poll_seconds=1.0)
    fetcher = _fetcher(stores.claims, told, listens=True)
    monkeypatch.setattr("jobplane.worker.fetcher.KEPT_UP_SECONDS", 0.5)
    monkeypatch.setattr("jobplane.worker.fetcher.KEPT_UP_POLL_SECONDS", 3600.0)
    fetcher.heard_upkeep()

    await asyncio.wait_for(fetcher._rest(3600.0), 60)  # pyright: ignore[reportPrivateUsage]

    await stores.close()


class Full(Roomy):
    """It has slots, and none for what is in the queue."""

    def quota(self, queue: str) -> int:
        return 0


class Packed(Roomy):
    def room(self) -> int:
        return 0


@pytest.mark.parametrize("fleet", [Full(), Packed()])
async def test_who_has_no_room_for_a_claim_needs_none_to_find_a_lost_line_again(tmp_path: Path, fleet: Roomy) -> None:
    stores = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    line = Contact(Journal("w", ClaimRecords())).connection("claims")
    told = settings({"default": 1}, poll_seconds=0.01)
    line.record_failure(OSError("gone"), is_main=True)

    await _fetcher(stores.claims, told, line, fleet=fleet).step()

    assert not line.is_lost
    await stores.close()


async def test_after_a_lost_line_it_registers_before_it_claims(tmp_path: Path) -> None:
    stores = await opening.open_worker_stores(Config(database_url=f"sqlite:///{tmp_path / 'jobs.db'}"))
    store, line = Over(stores.claims), Contact(Journal("w", ClaimRecords())).connection("claims")
    await store.put_queues(["default"])
    await store.put_definitions([{"key": "strange", "kind": "python"}])
    await store.enqueue(DEFAULT_TENANT, [NewJob(definition="strange")])
    told = settings({"default": 1}, poll_seconds=0.01)
    line.record_failure(OSError("gone"))

    await _fetcher(store, told, line).step()

    assert [worker.worker_id for worker in await store.workers()] == ["w"]
    assert not any(queue.running for queue in await store.queues())
    assert not line.is_lost
    await stores.close()


async def test_only_what_this_worker_never_knew_is_given_back() -> None:
    told = settings({"default": 1})
    claim_records, tickets = ClaimRecords(), [Lease(seq, 1, UUID(int=1)) for seq in (1, 2, 3)]
    lines = [f"{seq}\t1\t{key}\t\t0\tj\tt\t0\tapi\t\t{{}}" for seq, key in enumerate(("own", "strange", "own"), 1)]
    claim_records.keep(Claimed(tickets, "\n".join(lines).encode()))
    fetcher = _fetcher(None, told, claim_records=claim_records, documents={"own": {"key": "own"}})
    unknown = [end(ticket, Outcome.FAILED, "unknown_definition", "no definition") for ticket in tickets[:2]]
    failed = end(tickets[2], Outcome.FAILED, "error")

    own, strange, other = fetcher.judge([*unknown, failed])

    assert (own, other) == (unknown[0], failed)
    assert strange == end(tickets[1], Outcome.RELEASED, "unstarted", retry_after=STRANGER_SECONDS)


def _fetcher(
    store: Any,
    told: WorkerSettings,
    line: Connection | None = None,
    *,
    claim_records: ClaimRecords | None = None,
    documents: dict[str, Document] | None = None,
    fleet: Roomy | None = None,
    listens: bool = False,
) -> Fetcher:
    known, house = claim_records or ClaimRecords(), fleet or Roomy()
    journal = Journal("w", known)
    line = line or Contact(journal).connection("claims")
    logbook = Logbook(line, store, journal, lambda _: None)
    settler = Settler(line, store, logbook, journal, lambda: None, lease_seconds=30)
    registration = Registration(line, store, journal, told, documents or {}, lambda: 0)
    fleet_, renewer = cast("Fleet", house), cast("Renewer", house)
    return Fetcher(line, store, fleet_, renewer, registration, settler, known, journal, settings=told, listens=listens)
