"""An outage is waited for, with a line in the log every minute that says why."""

from __future__ import annotations

import logging

import pytest

from jobplane.core.errors import StoreUnavailable, Unauthenticated
from jobplane.process.contact import ConnectionLost, Contact
from jobplane.process.events import EventLog
from jobplane.process.starting import call_patiently

Record = pytest.LogCaptureFixture


@pytest.fixture
def events(caplog: Record) -> EventLog:
    caplog.set_level(logging.DEBUG)
    return EventLog(logging.getLogger("jobplane.waiting"))


def said(caplog: Record, event: str) -> list[str]:
    facts = [record.__dict__["facts"] for record in caplog.records if "facts" in record.__dict__]
    return [each["error"] for each in facts if each["event"] == event]


class Reluctant:
    """A database that is away for so many calls."""

    def __init__(self, *errors: Exception) -> None:
        self._errors = list(errors)

    async def __call__(self) -> str:
        if self._errors:
            raise self._errors.pop(0)
        return "here"


@pytest.mark.parametrize(("every_seconds", "lines"), [(60.0, ["first"]), (0.0, ["first", "second", "third"])])
async def test_a_start_says_every_minute_what_it_waits_for(
    events: EventLog, caplog: Record, monkeypatch: pytest.MonkeyPatch, every_seconds: float, lines: list[str]
) -> None:
    monkeypatch.setattr("jobplane.process.starting._TELL_SECONDS", every_seconds)
    database = Reluctant(*(StoreUnavailable(word) for word in ("first", "second", "third")))

    assert await call_patiently(database, events, "worker") == "here"

    assert said(caplog, "waiting_for_database") == lines


async def test_a_wrong_login_ends_the_wait_at_once(events: EventLog) -> None:
    with pytest.raises(Unauthenticated):
        await call_patiently(Reluctant(StoreUnavailable("away"), Unauthenticated("no")), events, "worker")


@pytest.mark.parametrize(("every_seconds", "lines"), [(60.0, []), (0.0, ["away", "a new password"])])
async def test_a_running_process_waits_for_whatever_it_is_and_says_why(
    events: EventLog, caplog: Record, monkeypatch: pytest.MonkeyPatch, every_seconds: float, lines: list[str]
) -> None:
    """Also for a login that was changed: it may be changed back, and the jobs that run need the process."""
    monkeypatch.setattr("jobplane.process.contact._TELL_SECONDS", every_seconds)
    connection = Contact(events).connection("claims")
    database = Reluctant(StoreUnavailable("away"), Unauthenticated("a new password"))

    for _ in range(2):
        with pytest.raises(ConnectionLost):
            await connection.ask(database())
    assert await connection.ask(database()) == "here"

    assert said(caplog, "database_lost") == ["away"]
    assert said(caplog, "waiting_for_database") == lines
