"""`cleanup.expired_rows`: expired rows of tables that the operator has named, and of no others."""

from __future__ import annotations

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from jobplane.core.errors import StoreUnavailable
from jobplane.core.model import JobFilter, JobStatus
from jobplane.core.timetable import TZDATA_VERSION
from jobplane.scheduler import cleanup
from jobplane.scheduler.cleanup import EXPIRED_ROWS, Expired
from jobplane.scheduler.system_jobs import SYSTEM
from tests import programs
from tests.conftest import ROLES
from tests.database import Database
from tests.faults.places import PostgresPlace
from tests.faults.waiting import until
from tests.scheduler.process import PATIENCE, Schedulers

HOUR, DAY = 3600, 86_400
# What the fourth design cleans up, and when: tables with the times of their rows, in hours from now.
TABLES = {
    "sessions": ("expires_at", [-1, 1]),
    "webhook_deliveries": ("created_at", [-169, -167]),
    "oauth_tokens": ("revoked_at", [-25, -23]),
    "oauth_codes": ("expires_at", [-1, 1]),
    "magic_links": ("expires_at", [-1, 1]),
    "password_resets": ("expires_at", [-1, 1]),
    "secrets": ("expires_at", [-1, 1]),
}
CLEAN_UPS: dict[str, tuple[str, list[tuple[str, str, int]]]] = {
    "stale_session_cleanup": ("0 * * * *", [("sessions", "expires_at", 0)]),
    "webhook_delivery_prune": ("0 3 * * *", [("webhook_deliveries", "created_at", 168 * HOUR)]),
    "expired_oauth_cleanup": ("0 4 * * *", [("oauth_tokens", "revoked_at", DAY), ("oauth_codes", "expires_at", 0)]),
    "expired_auth_cleanup": ("0 5 * * *", [("magic_links", "expires_at", 0), ("password_resets", "expires_at", 0)]),
}
ALLOWED = ",".join(f"public.{table}.{column}" for table, (column, _) in TABLES.items() if table != "secrets")


@pytest.fixture
def schedulers(db: Database, scratch: Path) -> Generator[Schedulers]:
    place = PostgresPlace(db)
    urls = {f"JOBPLANE_DATABASE_URL_{role.upper()}": db.url(role) for role in ROLES}
    cleaner = {"JOBPLANE_CLEANUP_URL": db.url("owner"), "JOBPLANE_CLEANUP_TABLES": ALLOWED}
    yield Schedulers(place, {**place.environment(), **urls, **cleaner, "JOBPLANE_POLL_SECONDS": "0.1"}, scratch)
    programs.end_all()  # before the database goes
    place.close()


def fill(db: Database) -> None:
    db.own("create schema if not exists public")
    for table, (column, hours) in TABLES.items():
        db.own(f"create table public.{table} (id int, {column} timestamptz)")
        for number, offset in enumerate(hours):
            db.own(f"insert into public.{table} values ({number}, now() + interval '{offset} hours')")


def left(db: Database) -> dict[str, list[int]]:
    with db.connect("owner") as owner:
        return {table: [row[0] for row in owner.execute(f"select id from public.{table}".encode())] for table in TABLES}


def payload(rules: list[tuple[str, str, int]]) -> dict[str, Any]:
    named = [
        {"table": f"public.{table}", "column": column, "older_than_seconds": seconds}
        for table, column, seconds in rules
    ]
    return {"tables": named}


def ended(schedulers: Schedulers, status: JobStatus) -> list[Any]:
    return schedulers.store.list_jobs(SYSTEM, JobFilter(statuses=[status], definitions=[EXPIRED_ROWS])).items


def test_the_four_clean_ups_delete_what_has_expired_and_nothing_else(schedulers: Schedulers, db: Database) -> None:
    fill(db)
    schedulers.ready()
    for key, (cron, rules) in CLEAN_UPS.items():
        now = datetime.now(UTC)
        document = {"key": key, "label": key, "definition_key": EXPIRED_ROWS, "cron_expr": cron, "timezone": "UTC"}
        times = {"next_run_at": now.isoformat(), "due_at": now.isoformat(), "zone_version": TZDATA_VERSION}
        schedulers.store.create_trigger(SYSTEM, {**document, **times, "payload_template": payload(rules)})

    until(lambda: len(ended(schedulers, JobStatus.SUCCEEDED)) == len(CLEAN_UPS), PATIENCE, "the four jobs")

    kept = {table: [1] for table in TABLES}
    assert left(db) == {**kept, "secrets": [0, 1]}
    totals = [sum(job.result.values()) for job in ended(schedulers, JobStatus.SUCCEEDED)]
    assert sorted(totals) == [1, 1, 2, 2]


def test_a_table_that_the_operator_has_not_named_is_left_alone(schedulers: Schedulers, db: Database) -> None:
    fill(db)
    schedulers.ready()
    made = schedulers.store.create_trigger(
        SYSTEM,
        {
            "label": "greedy",
            "definition_key": EXPIRED_ROWS,
            "cron_expr": "0 0 1 1 *",
            "timezone": "UTC",
            "next_run_at": "2099-01-01T00:00:00Z",
            "due_at": "2099-01-01T00:00:00Z",
        },
    )
    greedy = payload([("sessions", "expires_at", 0), ("secrets", "expires_at", 0)])

    schedulers.store.fire_trigger(SYSTEM, made.id, 1, "manual", [datetime.now(UTC)], [greedy])

    until(lambda: bool(ended(schedulers, JobStatus.FAILED)), PATIENCE, "its end")
    [job] = ended(schedulers, JobStatus.FAILED)
    assert "public.secrets.expires_at is not in cleanup_tables" in job.error
    assert left(db) == {table: [0, 1] for table in TABLES}


class Unasked:
    """A context whose job nobody stops."""

    async def checkpoint(self) -> None: ...


async def test_a_table_that_stays_locked_ends_the_job_and_not_the_scheduler(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(db)
    monkeypatch.setattr(cleanup, "_ANSWER_SECONDS", 0.3)
    with db.connect("owner") as owner, owner.transaction():
        owner.execute("lock table public.sessions")

        with pytest.raises(StoreUnavailable, match=r"did not delete a batch of public\.sessions within 0\.3 s"):
            await cleanup.delete(cast("Any", Unasked()), db.url("owner"), Expired("public.sessions", "expires_at", 0))

    assert left(db)["sessions"] == [0, 1]


def test_without_the_settings_there_is_no_such_job(schedulers: Schedulers) -> None:
    schedulers.ready(JOBPLANE_CLEANUP_TABLES="")

    assert schedulers.store.definitions([EXPIRED_ROWS]) == []
