"""`jobplane run`."""

from __future__ import annotations

import json
import threading
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from jobplane.core.logs import NewLogLine
from jobplane.core.model import Outcome
from tests.cli.desk import Desk
from tests.leases import settlement
from tests.migrations.processes import until


@contextmanager
def a_worker(desk: Desk, outcome: Outcome) -> Generator[None]:
    """Runs the next job to this outcome, with a line in its log."""

    def work() -> None:
        until(lambda: claimed.extend(desk.store.claim("default", "w").leases) or claimed)
        desk.store.log_lines([NewLogLine(claimed[0], 1, datetime.now(UTC), "info", "hello", {})])
        desk.store.settle([settlement(lease=claimed[0], outcome=outcome)])

    claimed = desk.store.claim("default", "w").leases[:0]
    thread = threading.Thread(target=work)
    thread.start()
    yield
    thread.join()


def test_a_new_job_is_printed_by_its_id(desk: Desk) -> None:
    done = desk.run("run", "report", "--set", "n=1", "--set", "who=ann", "--set", "x=NaN", "--tag", "eu")

    job = desk.json("jobs", "get", done.out.strip())
    assert (done.code, done.err) == (0, "")
    assert (job["payload"], job["tags"]) == ({"n": 1, "who": "ann", "x": "NaN"}, ["eu"])
    assert (job["triggered_by"] or {"type": "login"})["type"] == "login"


def test_a_payload_is_text_a_file_or_stdin(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"n": 2}')

    ids = [
        desk.run("run", "report", "--payload", '{"n": 1}').out,
        desk.run("run", "report", "--payload", f"@{tmp_path}/p.json", "--set", "m=1").out,
        desk.run("run", "report", "--payload", "-", stdin='{"n": 3}').out,
    ]

    payloads = [desk.json("jobs", "get", each.strip())["payload"] for each in ids]
    assert payloads == [{"n": 1}, {"n": 2, "m": 1}, {"n": 3}]


def test_a_job_can_be_put_off(desk: Desk) -> None:
    later = desk.run("run", "report", "--delay", "10m", "-o", "json")
    at = desk.run("run", "report", "--at", "2099-01-01T00:00:00Z", "-o", "json")

    assert json.loads(at.out)["scheduled_for"] == "2099-01-01T00:00:00Z"
    due = datetime.fromisoformat(json.loads(later.out)["scheduled_for"])
    assert timedelta(minutes=9) < due - datetime.now(UTC) < timedelta(minutes=11)


def test_the_same_key_is_the_same_job(desk: Desk) -> None:
    first = desk.run("run", "report", "--dedupe-key", "daily")
    second = desk.run("run", "report", "--dedupe-key", "daily")

    assert first.out == second.out
    assert second.err.endswith("has this key already. Nothing was enqueued.\n")


def test_a_dry_run_is_judged_by_the_server_and_makes_nothing(desk: Desk) -> None:
    done = desk.run("run", "report", "--dry-run")
    wrong = desk.run("run", "reprot", "--dry-run")

    assert json.loads(done.out)["valid"] is True
    assert wrong.code == 2
    assert wrong.err.startswith('jobplane: unknown_definition: There is no definition "reprot". Did you mean "report"?')
    assert wrong.err.endswith(" Try: jobplane definitions ls\n")
    assert desk.json("jobs", "ls")["items"] == []


@pytest.mark.parametrize(("outcome", "code", "status"), [("succeeded", 0, "succeeded"), ("fatal", 1, "failed")])
def test_waiting_ends_with_the_outcome(desk: Desk, outcome: str, code: int, status: str) -> None:
    with a_worker(desk, Outcome(outcome)):
        done = desk.run("run", "report", "--wait", "--timeout", "1m")

    assert done.code == code
    assert f"(report) {status} " in done.err
    assert desk.json("jobs", "get", done.out.strip())["status"] == status


def test_following_prints_the_log_until_the_job_has_ended(desk: Desk) -> None:
    with a_worker(desk, Outcome.SUCCEEDED):
        done = desk.run("run", "report", "--follow")

    assert done.code == 0
    assert done.out.endswith(" 1 info    hello\n")


def test_a_wait_that_is_too_long_is_6(desk: Desk) -> None:
    done = desk.run("run", "report", "--wait", "--timeout", "0.1s")

    assert done.code == 6
    assert done.err.startswith("jobplane: wait_timeout: Job ")


@pytest.mark.parametrize(
    "words",
    [
        ["--set", "nothing"],
        ["--payload", "{"],
        ["--payload", "[1]"],
        ["--payload", "@/nowhere"],
        ["--delay", "soon"],
        ["--at", "tomorrow"],
        ["--priority", "-1"],
        ["--timeout", "1y"],
    ],
)
def test_nonsense_is_a_usage_error_before_anything_is_sent(desk: Desk, words: list[str]) -> None:
    done = desk.run("run", "report", *words)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("jobplane: usage: ")
    assert desk.json("jobs", "ls")["items"] == []
