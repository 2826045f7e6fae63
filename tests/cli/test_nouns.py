"""Tenants, keys, definitions, queues, workers, the audit log, problems, and who the caller is."""

from __future__ import annotations

import re

from jobplane.core.model import NewWorker
from tests.cli.desk import Desk


def test_me_is_the_login(desk: Desk) -> None:
    found = desk.json("me")

    assert (found["type"], found["role"], found["tenant_id"]) == ("login", "super_admin", None)


def test_tenants_are_made_listed_paused_and_resumed(desk: Desk) -> None:
    made = desk.json("tenants", "create", "acme", "--name", "Acme Inc.", "--weight", "3")

    assert (made["slug"], made["name"], made["weight"]) == ("acme", "Acme Inc.", 3)
    assert [row.split()[0] for row in desk.run("tenants", "ls").out.splitlines()[1:]] == ["acme", "default", "system"]
    assert desk.run("tenants", "pause", "acme", "--reason", "unpaid").out.splitlines()[1].split()[1] == "paused"
    assert desk.run("tenants", "resume", made["id"]).out.splitlines()[1].split()[1] == "active"
    assert desk.run("tenants", "create", "acme").code == 5
    assert desk.run("tenants", "pause", "nobody").code == 3


def test_a_dry_run_makes_no_tenant(desk: Desk) -> None:
    done = desk.run("tenants", "create", "acme", "--dry-run")

    assert (done.code, done.out) == (0, "")
    assert done.err == 'Would send: POST /api/v1/tenants {"slug": "acme"}\n'
    assert "acme" not in desk.run("tenants", "ls").out


def test_a_key_is_printed_once_and_alone(desk: Desk) -> None:
    made = desk.run("keys", "create", "--role", "viewer", "--name", "wall")
    platform = desk.run("keys", "create", "--role", "worker")
    key_id = made.out.split("_")[1]

    rotated = desk.run("keys", "rotate", key_id, "--overlap", "1h")
    revoked = desk.run("keys", "revoke", key_id)

    assert made.out.startswith("jp_")
    assert made.err == f"This is key {key_id} with the role viewer. It is not shown again.\n"
    assert platform.out.startswith("jp_")
    assert rotated.out.startswith("jp_")
    assert (revoked.code, revoked.out) == (0, f"{key_id} revoked\n")
    listed = desk.run("keys", "ls").out
    assert sorted(line.split()[1] for line in listed.splitlines()[1:]) == ["active", "active", "revoked"]
    assert made.out.strip() not in listed
    assert desk.run("keys", "revoke", "nothing").code == 3


def test_definitions_are_listed_disabled_and_enabled(desk: Desk) -> None:
    assert desk.run("definitions", "ls", "-o", "name").out == "report\n"
    assert desk.run("definitions", "disable", "report").code == 0
    refused = desk.run("run", "report")
    assert (refused.code, refused.err.split(": ")[1]) == (2, "definition_inactive")
    assert desk.run("definitions", "enable", "report").code == 0
    assert desk.json("definitions", "get", "report")["key"] == "report"
    assert desk.run("definitions", "get", "nothing").code == 3


def test_queues_are_paused_and_resumed(desk: Desk) -> None:
    desk.job()

    assert desk.run("queues", "pause", "default", "--reason", "deploy").out.splitlines()[1].split()[1] == "paused"
    assert desk.json("queues", "ls")["items"][0]["paused_at"] is not None
    assert desk.run("queues", "resume", "default").out.splitlines()[1].split()[1] == "active"
    assert desk.run("queues", "pause", "nothing").code == 3


def test_workers_are_listed(desk: Desk) -> None:
    desk.store.register_worker(NewWorker(worker_id="worker-1", queues=["default"]))

    assert desk.run("workers", "ls", "-o", "name").out == "worker-1\n"


def test_the_audit_log_has_what_was_done_and_by_whom(desk: Desk) -> None:
    job_id = str(desk.job())
    desk.run("jobs", "cancel", job_id)

    [entry] = desk.json("audit", "ls", "--action", "cancelJob")["items"]

    assert entry["actor"]["type"] == "login"
    assert desk.run("audit", "ls", "--since", "1h").code == 0


def test_explain_says_why_a_job_waits(desk: Desk) -> None:
    job_id = str(desk.job())
    desk.run("queues", "pause", "default")

    explained = desk.run("explain", job_id[-8:])
    described = desk.run("jobs", "describe", job_id)

    assert explained.code == 0
    assert "shut" in explained.out
    assert "Why it waits" in described.out


def test_problems_are_none_or_the_exit_code_is_1(desk: Desk) -> None:
    assert (desk.run("problems").code, desk.run("problems").err) == (
        0,
        "There are no problems to show.\nAll is well.\n",
    )


def test_the_database_shows_its_size_and_its_tables(desk: Desk) -> None:
    desk.job()

    facts, _, titles, *rows = desk.run("database").out.splitlines()

    assert re.fullmatch(r"SQLite 3\.[\d.]+, schema (\d+) of \1, [\d.]+ [KM]iB, journal wal with [\d.]+ [KM]?i?B", facts)
    assert titles.split() == ["TABLE", "ROWS", "SIZE", "DEAD", "ROWS", "VACUUMED"]
    assert [row.split()[:2] for row in rows if row.startswith("ready ")] == [["ready", "1"]]
    assert desk.json("database")["store"] == "sqlite"


def test_the_overview_shows_what_jobs_do(desk: Desk) -> None:
    oldest = str(desk.job())
    desk.job(delay_seconds=3600)

    lines = desk.run("overview").out.splitlines()

    assert lines[:3] == [
        "2 queued (1 ready, 0 held, 1 upcoming), 0 running",
        "0 succeeded, 0 failed, 0 dead_letter, 0 canceled",
        "0 failed in the last hour",
    ]
    assert re.fullmatch(rf"The oldest job waits for \S+( \S+)?: {oldest[-8:]} of report", lines[3])
    assert lines[4] == "0 workers, 0 of 0 slots busy, 0 gone"
    assert desk.json("overview")["oldest"]["id"] == oldest


def test_a_list_of_tenants_shows_their_depth(desk: Desk) -> None:
    desk.job()

    titles, default, _ = desk.run("tenants", "ls").out.splitlines()

    assert titles.split()[:8] == ["SLUG", "STATUS", "READY", "HELD", "UPCOMING", "RUNNING", "DEAD", "OLDEST"]
    assert default.split()[:7] == ["default", "active", "1", "0", "0", "0", "0"]
