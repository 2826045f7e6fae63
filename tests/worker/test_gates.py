"""An operator whose transaction stays open keeps all claims waiting: workers say so, and go on when it is over."""

from __future__ import annotations

import pytest

from jobplane import JobStatus
from jobplane.core.errors import StoreBusy
from jobplane.process.contact import ConnectionLost, Contact
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.journal import Journal
from tests.database import Database
from tests.worker.stage import HASTY, Stage, until


def test_a_worker_whose_claims_do_not_come_through_is_not_ready_and_says_so(db: Database, stage: Stage) -> None:
    worker = stage.started(worker_http="127.0.0.1:0", program=HASTY)
    until(lambda: worker.get("/readyz")[0] == 200)
    operator = db.connect("admin", autocommit=False)
    operator.execute("""select jobplane.put_definitions(array['{"key": "add"}'::jsonb])""")
    job = stage.enqueue("add", a=1, b=2)

    until(
        lambda: (
            worker.get("/readyz")
            == (503, {"status": "failing", "wrong": ["The database does not answer the calls for claims."]})
        )
    )
    stalled = worker.until("line_stalled")
    operator.commit()

    assert stage.ended(job).status is JobStatus.SUCCEEDED
    until(lambda: worker.get("/readyz")[0] == 200)
    assert worker.until("line_resumed")["line"] == stalled["line"] == "claims"
    assert stalled["level"] == "warning"
    assert [len(worker.lines(event)) for event in ("line_stalled", "line_resumed", "database_lost")] == [1, 1, 0]


async def _fail() -> None:
    raise StoreBusy("a lock was held too long")


async def _answer() -> None:
    """At once."""


async def test_only_a_main_call_shows_that_main_calls_come_through_again() -> None:
    line = Contact(Journal("w", ClaimRecords())).connection("claims")

    with pytest.raises(ConnectionLost):
        await line.ask(_fail(), is_main=True)
    await line.ask(_answer())
    assert line.is_lost

    await line.ask(_answer(), is_main=True)
    assert not line.is_lost


async def test_any_answer_shows_that_a_line_without_a_lost_main_call_is_back() -> None:
    line = Contact(Journal("w", ClaimRecords())).connection("claims")

    with pytest.raises(ConnectionLost):
        await line.ask(_fail())
    await line.ask(_answer())

    assert not line.is_lost
