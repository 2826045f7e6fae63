"""Another process may keep the file: a call waits for it, within a bound."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from jobplane.core.errors import StoreBusy
from jobplane.core.model import DEFAULT_TENANT, NewJob
from jobplane.store.sqlite.blocking import BlockingSqliteStore
from tests.sqlite.hand import start


def test_a_call_waits_for_another_process(path: Path, store: BlockingSqliteStore) -> None:
    hand = start(path, "hold")
    assert hand.stdout
    assert hand.stdout.readline() == "held\n"

    [answer] = store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

    assert answer.created
    hand.communicate()


def test_the_wait_has_a_bound_and_ends_in_an_error_of_ours(path: Path, store: BlockingSqliteStore) -> None:
    hand = start(path, "hold")
    assert hand.stdout
    assert hand.stdout.readline() == "held\n"
    with BlockingSqliteStore(path, busy_seconds=0.2) as hasty:
        began = time.monotonic()

        with pytest.raises(StoreBusy) as busy:
            hasty.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])

        assert time.monotonic() - began < 1.5
        assert "database is locked" not in busy.value.message
        assert hasty.summary(DEFAULT_TENANT).queued == 0, "who only reads does not wait"
    hand.communicate()
    assert store.enqueue(DEFAULT_TENANT, [NewJob(definition="d")])[0].created
