from __future__ import annotations

from typing import Any, cast

import pytest

from jobplane.core.errors import StoreBusy, StoreUnavailable
from jobplane.core.model import DueChores
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
        async def answer(*args: object, **told: object) -> object:
            self.asked.append(name)
            if told.get("full"):
                if self._other is not None:
                    self._other.heard()
                raise self._failure
            if name == "due_chores":
                return DueChores(None, None, frozenset(cast("list[str]", args[0])), {})
            return [] if name in ("reap_all", "held_snapshots") else 0

        return answer


def chores(contact: Contact, store: Tired) -> Chores:
    line, journal = contact.line("upkeep"), Journal("w", Dockets())
    return Chores(line, cast("LineStore", store), journal, "w", lease_seconds=30, listens=False)


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
