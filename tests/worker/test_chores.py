from __future__ import annotations

from typing import Any, cast

import pytest

from jobplane.core.errors import StoreBusy, StoreUnavailable
from jobplane.core.model import DueChores
from jobplane.process.chores import Chores
from jobplane.process.contact import Connection, ConnectionLost, Contact
from jobplane.store.verbs.engine import FindDueChores, FindSnapshots, Reap, Tick
from jobplane.store.verbs.verb import EngineVerb
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal
from tests.client import WorkerStore


class Tired:
    """A store whose look over everything fails; what else it was asked for."""

    def __init__(self, failure: Exception, other: Connection | None = None) -> None:
        self.asked: list[str] = []
        self._failure = failure
        self._other = other

    async def run(self, verb: EngineVerb[Any]) -> Any:
        self.asked.append(type(verb).__name__)
        if verb == Tick(full=True):
            if self._other is not None:
                self._other.record_answer()
            raise self._failure
        if isinstance(verb, FindDueChores):
            return DueChores(None, None, frozenset(verb.chores), {})
        return [] if isinstance(verb, Reap | FindSnapshots) else 0


def chores(contact: Contact, store: Tired) -> Chores:
    line, journal = contact.connection("upkeep"), Journal("w", ClaimRecords())
    return Chores(line, cast("WorkerStore", store), journal, "w", lease_seconds=30, listens=False)


async def test_a_chore_that_fails_for_itself_does_not_stop_the_reaping() -> None:
    store = Tired(StoreBusy("canceling statement due to statement timeout"))

    await chores(Contact(Journal("w", ClaimRecords())), store).step()

    assert "Reap" in store.asked


async def test_a_chore_that_takes_too_long_while_others_are_answered_does_not_stop_it_either() -> None:
    contact = Contact(Journal("w", ClaimRecords()))
    store = Tired(StoreUnavailable("the database did not answer within 2 s"), contact.connection("claims"))

    await chores(contact, store).step()

    assert "Reap" in store.asked


async def test_an_outage_does() -> None:
    contact = Contact(Journal("w", ClaimRecords()))
    contact.connection("claims").record_failure(OSError("gone"))
    store = Tired(StoreUnavailable("the connection failed"))

    with pytest.raises(ConnectionLost):
        await chores(contact, store).step()

    assert "Reap" not in store.asked
