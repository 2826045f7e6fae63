from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import cast
from uuid import UUID

import pytest

from jobplane.core.leases import Lease, Renewal, Renewed
from jobplane.process.contact import Contact
from jobplane.store.verbs.engine import Renew
from jobplane.worker import renewer
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet import Fleet
from jobplane.worker.journal import Journal
from jobplane.worker.logbook import Logbook
from jobplane.worker.renewer import Renewer
from jobplane.worker.settler import Settler
from tests.client import WorkerStore

FIRST, SECOND = Lease(1, 1, UUID(int=1)), Lease(1, 2, UUID(int=2))


class House:
    """A fleet and a store around a renewer: what runs is given, what was asked is kept."""

    def __init__(self, *running: Lease) -> None:
        self.running = list(running)
        self.answers: list[Renewal] = []
        self.stopped: list[Mapping[int, str]] = []
        self.renewed: list[Sequence[Lease]] = []
        journal, store = Journal("w", ClaimRecords()), cast("WorkerStore", self)
        contact = Contact(journal)
        line, self.other = contact.connection("renewals"), contact.connection("settlements")
        logbook = Logbook(self.other, store, journal, lambda _: None)
        settler = Settler(self.other, store, logbook, journal, lambda: None, lease_seconds=300)
        self.renewer = Renewer(
            line,
            store,
            cast("Fleet", self),
            settler,
            ClaimRecords(),
            journal,
            lease_seconds=300,
            followed=lambda _: None,
        )
        contact.on_found = self.renewer.on_found

    def list_held(self) -> list[Lease]:
        return self.running

    def find_begun(self) -> set[int]:
        return {ticket.seq for ticket in self.running}

    def stop(self, seqs: Mapping[int, str]) -> None:
        self.stopped.append(seqs)

    def follow(self, seqs: Iterable[int]) -> None: ...

    def confirm(self, sent_at: float) -> None: ...

    async def run(self, verb: Renew) -> Renewed:
        self.renewed.append(verb.leases)
        return Renewed(datetime.now(UTC), self.answers)


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewer, "BETWEEN_SECONDS", 0.001)


async def test_what_an_attempt_was_told_is_not_held_against_the_next_one_of_the_same_job() -> None:
    house = House(FIRST)
    house.answers = [Renewal(1, "gone")]
    await house.renewer.step()
    house.running, house.answers = [SECOND], [Renewal(1, "cancel")]

    await house.renewer.step()

    assert house.renewed == [[FIRST], [SECOND]]  # that it has begun is told at once, between two rounds over all
    assert house.stopped == [{1: "gone"}, {1: "cancel"}]


async def test_an_attempt_that_was_canceled_still_hears_that_its_lease_is_gone() -> None:
    house = House(FIRST)
    house.answers = [Renewal(1, "cancel")]
    await house.renewer.all()
    await house.renewer.all()
    house.answers = [Renewal(1, "gone")]

    await house.renewer.all()
    await house.renewer.all()

    assert house.stopped == [{1: "cancel"}, {1: "gone"}]


async def test_an_attempt_whose_lease_is_gone_does_not_speak_for_the_next_one() -> None:
    house = House(FIRST)
    house.answers = [Renewal(1, "gone")]
    await house.renewer.all()
    house.running, house.answers = [FIRST, SECOND], []

    await house.renewer.all()

    assert house.renewed[-1] == [SECOND]


async def test_a_line_that_is_back_lets_all_leases_be_renewed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(FIRST)
    await house.renewer.step()
    monkeypatch.setattr(renewer, "BETWEEN_SECONDS", 60)
    waiting = asyncio.create_task(house.renewer.step())
    await asyncio.sleep(0)

    house.other.record_failure(OSError("the server closed the connection"))
    house.other.record_answer()

    async with asyncio.timeout(5):
        await waiting
        monkeypatch.setattr(renewer, "BETWEEN_SECONDS", 0.001)
        await house.renewer.step()
    assert house.renewed == [[FIRST], [FIRST]]


async def test_cancels_that_come_together_are_one_round_over_all(monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(FIRST)
    await house.renewer.step()
    monkeypatch.setattr(renewer, "BETWEEN_SECONDS", 60)
    waiting = asyncio.create_task(house.renewer.step())
    await asyncio.sleep(0)

    for _ in range(100):
        house.renewer.on_canceled()

    async with asyncio.timeout(5):
        await waiting
        monkeypatch.setattr(renewer, "BETWEEN_SECONDS", 0.001)
        await house.renewer.step()
        await house.renewer.step()
    assert house.renewed == [[FIRST], [FIRST]]


async def test_a_row_that_was_locked_is_asked_for_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewer, "BETWEEN_SECONDS", 60)
    house = House(FIRST)
    house.answers = [Renewal(1, "busy")]

    async with asyncio.timeout(5):
        await house.renewer.step()
        await house.renewer.step()

    assert house.renewed == [[FIRST], [FIRST]]
