from __future__ import annotations

from typing import Any, cast

import pytest

from jobplane.core.errors import StoreBusy, StoreUnavailable
from jobplane.worker.chores import Chores
from jobplane.worker.contact import Contact, Line, LostLine
from jobplane.worker.dockets import Dockets
from jobplane.worker.journal import Journal
from tests.client import LineStore


class Tired:
    """A store whose look over everything fails; what else it was asked for."""

    def __init__(self, failure: Exception, other: Line | None = None) -> None:
        self.asked: list[str] = []
        self._failure = failure
        self._other = other

    def __getattr__(self, name: str) -> Any:
        async def answer(*_: object, **told: object) -> object:
            self.asked.append(name)
            if told.get("full"):
                if self._other is not None:
                    self._other.heard()
                raise self._failure
            return [] if name == "reap_all" else 0

        return answer


def chores(contact: Contact, store: Tired) -> Chores:
    return Chores(contact.line("upkeep"), cast("LineStore", store), Journal("w", Dockets()), lease_seconds=30)


async def test_a_chore_that_fails_for_itself_does_not_stop_the_reaping() -> None:
    store = Tired(StoreBusy("canceling statement due to statement timeout"))

    await chores(Contact(Journal("w", Dockets())), store).step()

    assert "reap_all" in store.asked


async def test_a_chore_that_takes_too_long_while_others_are_answered_does_not_stop_it_either() -> None:
    contact = Contact(Journal("w", Dockets()))
    store = Tired(StoreUnavailable("the database did not answer within 2 s"), contact.line("claims"))

    await chores(contact, store).step()

    assert "reap_all" in store.asked


async def test_an_outage_does() -> None:
    contact = Contact(Journal("w", Dockets()))
    contact.line("claims").missed(OSError("gone"))
    store = Tired(StoreUnavailable("the connection failed"))

    with pytest.raises(LostLine):
        await chores(contact, store).step()

    assert "reap_all" not in store.asked
