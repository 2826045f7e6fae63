from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import orjson

from jobplane.core.model import DEFAULT_TENANT, Json
from jobplane.worker.frames import Kind
from tests.worker.executor.driver import Driver, row

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def test_the_context_is_the_line(executor: Driver) -> None:
    job_id, trace = uuid4(), "0af7651916cd43dd8448eb211c80319c"
    rest: dict[str, Json] = {
        "correlation_id": "c",
        "trace_context": f"00-{trace}-b7ad6b7169203331-01",
        "source_ref": "nightly",
    }
    trigger, planned = uuid4(), (datetime.now(UTC) - timedelta(hours=2)).replace(microsecond=7)
    rest |= {"priority": 7, "trigger_id": str(trigger), "planned_at": (planned - EPOCH) // timedelta(microseconds=1)}

    outcome = executor.run(row(1, "look", attempt_no=3, job_id=job_id, rest=rest))[1]

    assert orjson.loads(outcome[6]) == {
        "job": str(job_id),
        "key": "look",
        "attempt": 3,
        "left": 2,
        "priority": 7,
        "tenant": str(DEFAULT_TENANT),
        "correlation": "c",
        "trace": trace,
        "scheduled_for": "2026-01-01T12:00:00+00:00",
        "triggered_by": ["api", "nightly"],
        "trigger": str(trigger),
        "planned_at": planned.isoformat(),
        "late_hours": 2,
        "worker": "w1",
        "has_deadline": True,
        "below": str(job_id),
    }


def test_a_job_without_a_trace_has_its_own_id_for_one(executor: Driver) -> None:
    job_id = uuid4()

    outcome = executor.run(row(2, "look", timeout=None, job_id=job_id))[2]

    found = orjson.loads(outcome[6])
    assert (found["trace"], found["has_deadline"], found["correlation"]) == (job_id.hex, False, None)
    assert (found["priority"], found["trigger"], found["planned_at"], found["late_hours"]) == (100, None, None, None)


def test_progress_is_told_while_it_runs(executor: Driver) -> None:
    executor.deal(row(3, "say-and-wait", {"message": "hello"}))

    assert executor.until(lambda: executor.rows(Kind.SHARE)) == [[3, 0.25, "begun"]]
    executor.send(Kind.STOP, [[3, "cancel"]])
    assert executor.outcome(3)[7] == 0.25
