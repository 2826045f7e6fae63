"""No hot statement reads a table from end to end: its cost may not depend on how many jobs there are."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest

from jobplane.core.model import DEFAULT_TENANT, NewJob, Outcome
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.drivers import ApswLink
from jobplane.store.sqlite.verbs import facts
from tests.client import BlockingSqliteStore
from tests.leases import settlement

JOBS: Final = (
    "jobs",
    "ready",
    "held",
    "upcoming",
    "endings",
    "attempts",
    "results",
    "dedupe",
    "receipts",
    "expiring",
    "logs",
)
HOT: Final = {
    "verbs": (
        *(
            "cancel",
            "changes",
            "claim",
            "edit",
            "enqueue",
            "enqueue_many",
            "expire",
            "get_result",
            "list_attempts",
            "list_jobs",
        ),
        *(
            "explain",
            "list_problems",
            "log_lines",
            "promote",
            "read_logs",
            "renew_all",
            "retry",
            "search_logs",
            "settle",
        ),
        *("summary", "tenant_problems", "due_triggers", "fire", "list_fires", "list_triggers"),
    ),
    "statements": ("describe", "gates", "lanes"),
}


@pytest.fixture(params=["empty", "seeded"])
def link(request: pytest.FixtureRequest, path: Path, store: BlockingSqliteStore) -> Generator[ApswLink]:
    """Without statistics, and with those of a file that has been in use."""
    if request.param == "seeded":
        store.enqueue(DEFAULT_TENANT, [NewJob(definition="d", correlation_id="c")] * 2000)
        leases = store.claim("default", "w", limit=1000).leases
        store.settle([settlement(lease=lease, outcome=Outcome.SUCCEEDED) for lease in leases])
    store.close()
    link = ApswLink(path)
    if request.param == "seeded":
        link.rows("analyze")
    yield link
    link.close()


def named(folder: str) -> list[tuple[str, str, str]]:
    files = {
        name: statements.load_verb(name) if folder == "verbs" else statements.load_shared(name) for name in HOT[folder]
    }
    return [(file, name, text) for file, found in files.items() for name, text in found.items()]


def test_no_hot_statement_walks_through_a_table_of_jobs(link: ApswLink) -> None:
    walks: list[str] = []
    made = [("facts", name, getattr(facts, name)) for name in ("ONE", "PLAIN", "ANY")]
    for file, name, text in [*named("verbs"), *named("statements"), *made]:
        for *_, step in link.rows("explain query plan " + text, [None] * text.count("?")):
            words = step.split()
            walks += [
                f"{file}, {name}: {step}" for table in JOBS if step.startswith("SCAN") and f"jobplane_{table}" in words
            ]

    assert walks == []


def test_a_claim_reads_its_lane_in_order_and_sorts_nothing_large(link: ApswLink) -> None:
    text = statements.load_verb("claim")["look"]

    steps = [row[-1] for row in link.rows("explain query plan " + text, [None] * text.count("?"))]

    assert any("jobplane_ready_claim" in step and "queue_id=? AND priority=?" in step for step in steps), steps


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("owned", "jobplane_jobs_owner"),
        ("projected", "jobplane_jobs_project"),
        ("triggered", "jobplane_jobs_trigger"),
    ],
)
def test_who_owns_or_made_a_job_is_found_by_an_index(link: ApswLink, name: str, index: str) -> None:
    text = statements.load_verb("list_jobs")[name]

    steps = [row[-1] for row in link.rows("explain query plan " + text, [None] * text.count("?"))]

    assert len(steps) == 1
    assert index in steps[0]


@pytest.mark.parametrize(
    ("verb", "name", "index"),
    [
        ("due_triggers", "due", "jobplane_triggers_due"),
        ("due_triggers", "next", "jobplane_triggers_due"),
        ("list_triggers", "page", "jobplane_triggers_tenant"),
        ("list_fires", "page", "trigger_id=?"),
    ],
)
def test_triggers_and_fires_are_read_in_order_by_an_index(link: ApswLink, verb: str, name: str, index: str) -> None:
    """However many there are: a page sorts nothing, and a tick looks at what is due."""
    text = statements.load_verb(verb)[name]

    steps = [row[-1] for row in link.rows("explain query plan " + text, [None] * text.count("?"))]

    [read] = [step for step in steps if step.startswith(("SEARCH t", "SEARCH f", "SEARCH jobplane", "SCAN jobplane"))]
    assert read.startswith("SEARCH")
    assert index in read
    assert not any("TEMP B-TREE" in step for step in steps), steps


def test_whether_a_job_of_a_schedule_still_runs_is_found_by_an_index(link: ApswLink) -> None:
    text = statements.load_shared("triggers")["active"]

    steps = [row[-1] for row in link.rows("explain query plan " + text, [None] * text.count("?"))]

    assert any("jobplane_jobs_trigger" in step for step in steps), steps
    assert not any(step.startswith("SCAN jobplane") for step in steps), steps


def test_a_search_in_one_job_reads_its_lines_in_order_and_no_others(link: ApswLink) -> None:
    sql = statements.load_verb("search_logs")
    steps = {
        name: [row[-1] for row in link.rows("explain query plan " + sql[name], [None] * sql[name].count("?"))]
        for name in ("job", "of_job")
    }

    assert "tenant_no=? AND id=?" in steps["job"][0], steps
    assert "(seq=? AND (attempt_no,line)>(?,?))" in steps["of_job"][0], steps
    assert not any("SORT" in step or "TEMP" in step for step in steps["of_job"]), steps
