"""Logs where SQLite has no FTS5, and how much of them goes at a time."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from jobplane.core.logs import NewLogLine
from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome
from jobplane.store.sqlite.moment import SECOND, clock
from jobplane.store.sqlite.statements import load_shared
from tests.client import BlockingSqliteStore
from tests.clock import START
from tests.conformance.backend import SqliteAudit
from tests.leases import Held, settlement

DAY: Final = 86_400 * SECOND


@pytest.fixture
def without_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the module were not compiled in."""
    monkeypatch.setitem(load_shared("schema"), "words", "select 1 where false")


def lease_of(store: BlockingSqliteStore) -> Held:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])
    [lease] = store.claim("default", "w").leases
    return lease


def log(store: BlockingSqliteStore, lease: Held, *messages: str, start: int = 1) -> None:
    ticket = lease
    lines = [NewLogLine(ticket, number, START, "info", message) for number, message in enumerate(messages, start=start)]
    assert store.log_lines(lines) == []


def hits(store: BlockingSqliteStore, text: str) -> list[str]:
    return [hit.line.message for hit in store.search_logs(DEFAULT_TENANT, text).lines]


def test_a_file_without_fts5_is_searched_by_reading(
    without_words: None, store: BlockingSqliteStore, path: Path
) -> None:
    log(store, lease_of(store), "one word", "another")
    store.tidy()

    assert hits(store, "WOR") == ["one word"]
    assert not SqliteAudit(path).peek("select 1 from sqlite_master where name like 'jobplane_log_words%'")


def test_lines_of_a_program_without_fts5_are_found_by_one_that_has_it(
    store: BlockingSqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = lease_of(store)
    log(store, lease, "word 1")
    store.tidy()
    with monkeypatch.context() as without:
        without.setitem(load_shared("schema"), "words", "select 1 where false")
        log(store, lease, "word 2", start=2)
        store.tidy()
        assert hits(store, "word") == ["word 1", "word 2"]
    log(store, lease, "word 3", start=3)

    assert hits(store, "word") == ["word 1", "word 2", "word 3"]
    store.tidy()
    assert hits(store, "word") == ["word 1", "word 2", "word 3"]


def test_a_search_ends_in_time_and_says_so(store: BlockingSqliteStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobplane.store.sqlite.verbs.words.SECONDS", -1.0)
    log(store, lease_of(store), "word")

    assert not store.search_logs(DEFAULT_TENANT, "absent").scanned_all


@pytest.fixture
def later(path: Path, store: BlockingSqliteStore) -> Generator[BlockingSqliteStore]:
    """The same file eight days later."""
    with BlockingSqliteStore(path, clock=lambda: clock() + 8 * DAY) as found:
        yield found


def test_lines_past_their_time_go_and_their_words_with_them(
    store: BlockingSqliteStore, later: BlockingSqliteStore, path: Path
) -> None:
    ended, open_ = lease_of(store), lease_of(store)
    log(store, ended, *(f"word {number}" for number in range(5001)))
    log(store, open_, "word of a job that runs")
    store.settle([settlement(lease=ended, outcome=Outcome.SUCCEEDED)])
    store.tidy()

    assert store.prune_logs().pruned == []
    assert later.prune_logs(retention_days=9).pruned == []
    first = later.prune_logs()
    assert first.after is not None
    assert [step.pruned[0].lines for step in (first, later.prune_logs(first.after))] == [5000, 1]
    assert hits(store, "word") == ["word of a job that runs"]
    SqliteAudit(path).peek("insert into jobplane_log_words (jobplane_log_words) values ('integrity-check')")


def test_a_definition_says_how_long(store: BlockingSqliteStore, later: BlockingSqliteStore) -> None:
    store.put_definitions([{"key": "d", "retention_days_logs": 30}])
    lease = lease_of(store)
    log(store, lease, "kept")
    store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED)])

    assert later.prune_logs().pruned == []
