from __future__ import annotations

import logging
import time
import traceback
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from jobplane.control.reaped import log_reaped
from jobplane.core.leases import Claimed, Lease, Reaped, Settled
from jobplane.core.model import Outcome
from jobplane.telemetry.logging import HumanLines, JsonLines
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal
from tests.leases import end

TRACEBACK = 'Traceback (most recent call last):\n  File "own.py", line 1, in own\n    own()\n'

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
GROUP = "ExceptionGroup: in a group (1 sub-exception)"


def group(*errors: Exception) -> str:
    """The traceback of a group whose parts have been raised themselves."""
    parts: list[Exception] = []
    for error in errors:
        with pytest.raises(Exception) as caught:  # noqa: PT011
            raise error
        parts.append(caught.value)
    with pytest.raises(ExceptionGroup) as raised:
        raise ExceptionGroup("in a group", parts)
    return "".join(traceback.format_exception(raised.value))


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (f"{TRACEBACK}ValueError: two\n\n lines\n", "ValueError: two"),
        (f"{TRACEBACK}KeyError: 1\n\nDuring handling, another:\n\n{TRACEBACK}ValueError: 2", "ValueError: 2"),
        (group(ValueError("first"), KeyError(2)), "ExceptionGroup: in a group (2 sub-exceptions)"),
        (f"{group(ValueError('first'))}\nDuring handling, another:\n\n{TRACEBACK}ValueError: 2", "ValueError: 2"),
        (f"{TRACEBACK}ValueError: 2\n\nDuring handling, another:\n\n{group(KeyError(2))}", GROUP),
        ("it did not stop", "it did not stop"),
        ("", None),
    ],
)
def test_of_an_error_the_log_has_what_was_raised(
    error: str, said: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "jobplane.worker"):
        Journal("w", ClaimRecords()).log_ended(*end(Lease(1, 1, uuid4()), Outcome.FAILED, error=error))

    assert vars(caplog.records[0])["facts"]["error"] == said


def test_a_message_tells_its_facts_to_formats_that_do_not_know_them(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "jobplane.worker"):
        Journal("w", ClaimRecords()).log_ended(
            *end(Lease(1, 2, uuid4()), Outcome.FAILED, error=f"{TRACEBACK}ValueError: no %d")
        )
        Journal("w", ClaimRecords()).log_event("worker_stopped")

    assert caplog.messages == ["Attempt failed. attempt_no=2 error='ValueError: no %d'", "Worker stopped."]


@pytest.mark.parametrize(
    ("form", "said"), [(JsonLines, '"message":"Worker went.",'), (HumanLines, " Worker went. n=1")]
)
def test_and_only_its_words_to_our_own(
    form: type[logging.Formatter], said: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "jobplane.worker"):
        Journal("w", ClaimRecords()).log_event("worker_went", n=1)

    assert said in form().format(caplog.records[0])


def test_every_attempt_that_is_claimed_has_a_line_for_who_looks_for_it(caplog: pytest.LogCaptureFixture) -> None:
    journal, tickets = Journal("w", ClaimRecords()), [Lease(seq, 1, uuid4()) for seq in (1, 2)]

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        journal.log_claimed(tickets)
    assert not caplog.records
    with caplog.at_level(logging.DEBUG, "jobplane.worker"):
        journal.log_claimed(tickets)

    assert [vars(record)["facts"]["event"] for record in caplog.records] == ["attempt_claimed"] * 2


@pytest.mark.parametrize(("spent_ms", "duration_ms"), [(7, 7), (0, 0), (None, 20_000)])
def test_a_duration_is_the_handlers_own_time_and_stands_beside_that_of_its_lease(
    spent_ms: int | None, duration_ms: int, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket, claim_records = Lease(1, 1, uuid4()), ClaimRecords()
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    claim_records.keep(Claimed([ticket], b"1\t1\tkey\t\t2\tjob\ttenant\t0\tapi\t\t{}"))
    monkeypatch.setattr(time, "monotonic", lambda: 120.0)

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        Journal("w", claim_records).log_ended(*end(ticket, Outcome.FAILED, spent_ms=spent_ms))

    facts = vars(caplog.records[0])["facts"]
    assert (facts["duration_ms"], facts["held_ms"]) == (duration_ms, 20_000)


@pytest.mark.parametrize(
    ("outcome", "status", "next_at", "said", "left"),
    [
        (Outcome.FAILED, "queued", AT, "Attempt failed. The job is queued again.", 2),
        (Outcome.RELEASED, "queued", AT, "Attempt was released. The job is queued again.", 3),
        (Outcome.FAILED, "dead_letter", None, "Attempt failed. The job is now a dead letter.", 0),
        (Outcome.FATAL, "failed", None, "Attempt failed and must not be retried. The job has failed.", 0),
        (Outcome.TIMEOUT, "canceled", None, "Attempt exceeded its timeout. The job is canceled.", 0),
    ],
)
def test_a_setback_says_what_became_of_the_job_and_when_it_starts_again(
    outcome: Outcome,
    status: str,
    next_at: datetime | None,
    said: str,
    left: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    lease, claim_records = Lease(1, 1, uuid4()), ClaimRecords()
    claim_records.keep(Claimed([lease], b"1\t1\tkey\t\t2\tjob\ttenant\t0\tapi\t\t{}"))

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        Journal("w", claim_records).log_all_ended([end(lease, outcome)], [Settled(1, 1, True, status, next_at)])

    facts = vars(caplog.records[0])["facts"]
    assert caplog.messages[0].startswith(said)
    assert (facts["status"], facts["attempts_left"]) == (status, left)
    assert facts["next_at"] == (None if next_at is None else "2026-01-01T12:00:00.000+00:00")


def test_what_was_reaped_is_named_as_far_as_a_log_can_bear_it(caplog: pytest.LogCaptureFixture) -> None:
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    lost = [
        Reaped(
            *(uuid4(), uuid4(), "key", 2, "other", trace, "lost", "queued", 31_000, "a", "c-1"),
            *("lease_expired", 2, AT),
        )
        for _ in range(102)
    ]

    log_reaped(lost, "w")

    count, first, *others = [vars(record)["facts"] for record in caplog.records]
    assert (count["event"], count["attempts"], count["named"]) == ("leases_reaped", 102, 100)
    assert count["statuses"] == {"queued": 102}
    assert len(others) == 99
    assert first == {
        "event": "attempt_reaped",
        "job_id": str(lost[0].job_id),
        "tenant_id": str(lost[0].tenant_id),
        "definition_key": "key",
        "attempt_no": 2,
        "worker_id": "other",
        "outcome": "lost",
        "status": "queued",
        "held_ms": 31_000,
        "tenant": "a",
        "correlation_id": "c-1",
        "reason": "lease_expired",
        "attempts_left": 2,
        "next_at": "2026-01-01T12:00:00.000+00:00",
        "trace_id": "0af7651916cd43dd8448eb211c80319c",
        "duration_ms": 31_000,
        "reaped_by": "w",
    }
