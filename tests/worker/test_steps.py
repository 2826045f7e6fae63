from __future__ import annotations

from tests.worker.stage import Stage, until

OF_THE_ATTEMPT = ("attempt_claimed", "attempt_begun", "attempt_succeeded")


def test_at_debug_each_step_of_an_attempt_and_of_the_worker_has_a_line(any_stage: Stage) -> None:
    worker = any_stage.started(log_level="debug")

    later = any_stage.jp.enqueue("talk", {"seconds": 3}, delay=0.1)
    any_stage.ended(later)
    worker.until("attempt_succeeded")

    lines = [line for event in OF_THE_ATTEMPT for line in worker.lines(event)]
    assert [(line["event"], line["job_id"]) for line in lines] == [(event, str(later.id)) for event in OF_THE_ATTEMPT]
    assert [line["level"] for line in lines] == ["debug"] * 3
    assert "promote" in {line["chore"] for line in worker.lines("upkeep")}
    until(lambda: all(map(worker.lines, ("claimed", "renewed", "settled", "logs_stored"))))
