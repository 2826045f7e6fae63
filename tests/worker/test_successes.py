"""What a worker says of jobs that succeed."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import uuid4

import pytest

from jobplane.core.leases import Claimed, Lease, Settled, Settlement
from jobplane.worker import successes
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal
from tests.leases import end
from tests.worker.stage import Line, Stage, until, until_async


def facts(caplog: pytest.LogCaptureFixture, event: str) -> list[Line]:
    known: list[Line] = [vars(record)["facts"] for record in caplog.records]
    return [each for each in known if each["event"] == event]


def ended(count: int) -> tuple[Journal, list[Settlement]]:
    """Successes whose durations are known, and the journal of their worker."""
    leases, claim_records, token = list[Lease](), ClaimRecords(), uuid4()
    leases = [Lease(seq, 1, token) for seq in range(1, count + 1)]
    rows = b"\n".join(f"{lease.seq}\t1\tkey\t\t2\tjob\ttenant\t0\tapi\t\t{{}}".encode() for lease in leases)
    claim_records.keep(Claimed(leases, rows))
    return Journal("w", claim_records), [end(lease, spent_ms=7) for lease in leases]


async def test_twenty_successes_a_second_have_a_line_and_the_others_are_counted(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(successes, "WINDOW_SECONDS", 0.2)
    journal, settlements = ended(25)
    plain = [Settlement(Lease(seq, 1, uuid4())) for seq in range(100, 1309)]

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        journal.log_all_ended([*settlements, *plain], [])
        shown = facts(caplog, "attempt_succeeded")

        async def is_told() -> bool:
            return bool(facts(caplog, "attempts_succeeded"))

        await until_async(is_told)
        journal.log_all_ended(settlements[:1], [])

    assert len(shown) == 20
    assert (shown[0]["duration_ms"], shown[0]["definition_key"], shown[0]["attempt_no"]) == (7, "key", 1)
    [hidden] = [record for record in caplog.records if vars(record)["facts"]["event"] == "attempts_succeeded"]
    assert hidden.getMessage().startswith("1,214 more jobs succeeded in the last second.")
    assert vars(hidden)["facts"]["attempts"] == 1214
    assert len(facts(caplog, "attempt_succeeded")) == 21, "a second later there is room again"


async def test_what_the_store_did_not_accept_is_not_counted(caplog: pytest.LogCaptureFixture) -> None:
    journal, settlements = ended(1)
    plain = [Settlement(Lease(seq, 1, uuid4())) for seq in (7, 8)]

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        journal.log_all_ended([*settlements, *plain], [Settled(1, 1, False, "stale"), Settled(7, 1, None, "busy")])
        journal.flush()

    assert not facts(caplog, "attempt_succeeded")
    assert caplog.messages == ["1 more job succeeded in the last second. attempts=1"]


async def test_a_worker_that_is_told_to_be_quiet_says_nothing_of_successes(caplog: pytest.LogCaptureFixture) -> None:
    journal, settlements = ended(30)

    with caplog.at_level(logging.WARNING, "jobplane.worker"):
        journal.log_all_ended(settlements, [])
        journal.flush()

    assert not caplog.records


def test_a_flood_of_successes_is_shown_in_part_and_counted_in_full(any_stage: Stage) -> None:
    worker = any_stage.started()
    first = any_stage.jp.enqueue("nothing", correlation_id="request-7")
    line = worker.until("attempt_succeeded", job=first)
    known = {"level": "info", "definition_key": "nothing", "attempt_no": 1, "tenant": "default"}
    assert line.items() >= {**known, "correlation_id": "request-7"}.items()
    assert 0 <= line["duration_ms"] <= line["held_ms"]

    jobs = [any_stage.enqueue("nothing", number=number) for number in range(300)]
    until(lambda: count(worker.lines("attempt_succeeded"), worker.lines("attempts_succeeded")) == len(jobs) + 1)

    shown = worker.lines("attempt_succeeded")
    assert all("duration_ms" in line for line in shown)
    assert len(shown) >= 20
    at = [datetime.fromisoformat(line["timestamp"]) for line in shown]
    assert all(later - before >= timedelta(seconds=0.9) for before, later in zip(at, at[20:], strict=False))


def count(shown: Sequence[Line], hidden: Sequence[Line]) -> int:
    return len(shown) + sum(line["attempts"] for line in hidden)
