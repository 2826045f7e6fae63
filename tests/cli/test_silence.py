"""`jobplane jobs logs` of jobs without lines, on both stores."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome
from jobplane.store.postgres.calls.call import Role
from jobplane.store.postgres.settings import Settings
from tests.cli.command import within
from tests.client import BlockingPostgresStore, BlockingSqliteStore, BlockingStore
from tests.conftest import ROLES
from tests.database import Database
from tests.leases import Held, settlement


@dataclass
class Place:
    """A store, and the command on it."""

    store: BlockingStore
    env: dict[str, str]

    def attempt(self, max_attempts: int = 2) -> Held:
        self.store.enqueue(DEFAULT_TENANT, [NewJob(definition="report", max_attempts=max_attempts)])
        return self.claim()

    def claim(self) -> Held:
        self.store.promote()
        return self.store.claim("default", "w").leases[0]

    def end(self, lease: Held, outcome: Outcome, **facts: Any) -> None:
        self.store.settle([settlement(lease=lease, outcome=outcome, **facts)])

    def logs(self, lease: Held, *words: str) -> str:
        """What is printed, with each duration as `T`."""
        done = within("jobs", "logs", str(lease.job_id), *words, **self.env)
        assert (done.code, done.err) == (0, "")
        return re.sub(r"\b\d+ (ms|s|min)\b|\bnow\b", "T", done.out.replace(str(lease.job_id), "ID"))


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[Place]:
    if request.param == "sqlite":
        with BlockingSqliteStore(tmp_path / "jobs.db") as store:
            yield _at(store, {"JOBPLANE_DATABASE_URL": f"sqlite:///{tmp_path}/jobs.db"})
        return
    db: Database = request.getfixturevalue("rewound_db")
    urls: dict[Role, str] = {role: db.url(role) for role in ROLES}
    with BlockingPostgresStore(Settings(urls=urls, allow_unsafe_durability=True)) as store:
        yield _at(store, {f"JOBPLANE_DATABASE_URL_{role.upper()}": url for role, url in urls.items()})


def _at(store: BlockingStore, env: dict[str, str]) -> Place:
    store.put_definitions([{"key": "report", "kind": "python"}])
    return Place(store, {**env, "JOBPLANE_ALLOW_UNSAFE_DURABILITY": "true"})


def test_a_dead_letter_without_an_error_says_its_reason(place: Place) -> None:
    lease = place.attempt(max_attempts=1)
    place.end(lease, Outcome.LOST, reason="lease_expired")

    said = place.logs(lease)
    attempt = place.logs(lease, "--attempt", "1")

    assert said.replace(" T ago", " T") == (
        "Job ID (report) became a dead letter T, on attempt 1 of 1, after T. It has no log lines.\n"
        "Reason: The lease expired: the worker was lost.\n"
    )
    assert attempt == (
        "Attempt 1 was lost after T. It has no log lines.\nReason: The lease expired: the worker was lost.\n"
    )


def test_a_requeued_job_says_when_its_next_attempt_is_due(place: Place) -> None:
    lease = place.attempt()
    place.end(lease, Outcome.FAILED, error="boom", retry_after=90)

    assert place.logs(lease) == (
        "Job ID (report) is queued again after 1 of 2 attempts. The next one is due in T. It has no log lines.\nboom\n"
    )


def test_a_job_that_waits_runs_or_has_ended_is_described(place: Place) -> None:
    lease = place.attempt()
    running = place.logs(lease)
    started = place.logs(lease, "--attempt", "1")
    place.end(lease, Outcome.SUCCEEDED)
    ended = place.logs(lease).replace(" T ago", " T")

    assert running == "Job ID (report) has been running for T, on attempt 1 of 2. It has no log lines.\n"
    assert started == "Attempt 1 has been running for T. It has no log lines.\n"
    assert ended == "Job ID (report) succeeded T, on attempt 1 of 2, after T. It has no log lines.\n"
    assert place.logs(lease, "--attempt", "1") == "Attempt 1 succeeded after T. It has no log lines.\n"


@pytest.mark.parametrize(
    ("outcome", "said"),
    [(Outcome.TIMEOUT, "timed out"), (Outcome.RELEASED, "was released"), (Outcome.FAILED, "failed")],
)
def test_the_end_of_an_attempt_is_a_verb(place: Place, outcome: Outcome, said: str) -> None:
    lease = place.attempt()
    place.end(lease, outcome, reason=None if outcome is Outcome.FAILED else str(outcome), retry_after=0)

    assert place.logs(lease, "--attempt", "1").startswith(f"Attempt 1 {said} after T. It has no log lines.\n")


def test_a_persons_reason_is_shown_as_it_is(place: Place) -> None:
    [made] = place.store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])
    assert made.job_id is not None
    place.store.cancel(DEFAULT_TENANT, [made.job_id], "Not needed any more.")

    said = within("jobs", "logs", str(made.job_id), **place.env).out

    first, second = said.splitlines()
    assert re.search(r"was canceled (now|\d+ s ago), before its first attempt\. It has no log lines\.$", first)
    assert second == "Reason: Not needed any more."


def test_as_json_the_reason_is_a_field(place: Place) -> None:
    lease = place.attempt(max_attempts=1)
    place.end(lease, Outcome.LOST)

    done = within("jobs", "logs", str(lease.job_id), "--json", **place.env)

    assert json.loads(done.out)["fields"] == {"status": "dead_letter", "reason": "lost", "error": None}
