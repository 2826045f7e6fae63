from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import orjson
import pytest

from jobplane.worker.frames import Kind, StopReason
from tests.worker.executor.driver import Driver, row


@pytest.mark.parametrize("key", ["sleep", "spin", "poll"])
@pytest.mark.parametrize(("why", "outcome"), [("cancel", ["canceled", None]), ("shutdown", ["released", "shutdown"])])
def test_a_stop_ends_the_attempt(executor: Driver, key: str, why: StopReason, outcome: list[str | None]) -> None:
    seq = next(executor.seqs)
    executor.deal(row(seq, key))
    executor.until(lambda: seq in executor.board)

    executor.send(Kind.STOP, [[seq, why]])

    assert executor.outcome(seq)[1:3] == outcome


def test_an_attempt_whose_lease_is_gone_has_no_outcome(executor: Driver) -> None:
    executor.deal(row(1, "sleep"), row(2, "poll"))
    executor.until(lambda: {1, 2} <= {*executor.board})

    executor.send(Kind.STOP, [[1, "gone"], [2, "gone"]])

    executor.until(lambda: {1, 2} <= {*executor.rows(Kind.RETURNED)})
    assert not executor.outcomes().keys() & {1, 2}


def test_what_does_not_stop_keeps_its_slot_and_is_overdue(own: Driver) -> None:
    jobs = [uuid4(), uuid4()]
    own.deal(row(1, "stubborn", timeout=1, job_id=jobs[0]), row(2, "deaf", timeout=1, job_id=jobs[1]))

    own.until(lambda: [[1, "timeout"], [2, "timeout"]] in own.of(Kind.OVERDUE))
    assert {1, 2} <= {*own.board}
    assert own.until(lambda: _overdue(own) == {(str(job), "timeout", 1, "w1") for job in jobs})
    own.run(row(3, "release"))

    assert [own.outcome(seq)[1] for seq in (1, 2)] == ["timeout"] * 2
    assert own.until(lambda: own.of(Kind.OVERDUE)[-1] == [])
    assert own.until(lambda: not any(own.board))


def _overdue(own: Driver) -> set[tuple[object, ...]]:
    said = [each for each in map(orjson.loads, own.stderr) if each.get("event") == "attempt_overdue"]
    return {(each["job_id"], each["reason"], each["attempt_no"], each["worker_id"]) for each in said}


def test_a_canceled_handler_that_runs_past_its_timeout_is_overdue_for_both(own: Driver, tmp_path: Path) -> None:
    mark = tmp_path / "begun"
    own.deal(row(1, "say-and-toil", {"message": "begun", "mark": str(mark), "seconds": 5}, timeout=3))
    own.until(mark.exists)

    own.send(Kind.STOP, [[1, "cancel"]])

    own.until(lambda: own.of(Kind.OVERDUE) == [[[1, "cancel"]], [[1, "timeout"]]])
    assert own.outcome(1)[1] == "canceled"


def test_what_has_not_started_is_stopped_without_a_start(own: Driver) -> None:
    own.deal(*(row(seq, "sleep") for seq in range(1, 9)))
    own.until(lambda: all(own.board))

    own.send(Kind.STOP, [[5, "cancel"], [6, "shutdown"], [7, "gone"]])

    assert own.outcome(5)[1] == "canceled"
    own.until(lambda: own.rows(Kind.RETURNED) == [6, 7])
    assert {*own.board} == {1, 2, 3, 4}


def test_the_last_dealt_goes_back_first(own: Driver) -> None:
    own.deal(*(row(seq, "sleep") for seq in range(1, 10)))
    own.until(lambda: all(own.board))

    own.send(Kind.BACK, [3])
    own.until(lambda: own.rows(Kind.RETURNED) == [9, 8, 7])
    own.send(Kind.BACK, [100])

    own.until(lambda: own.rows(Kind.RETURNED) == [9, 8, 7, 6, 5])
