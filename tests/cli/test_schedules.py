"""`jobplane schedules`: list, make, change and fire schedules."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
import yaml

from tests.cli.command import COMMAND, environment
from tests.cli.desk import Desk

CREATE = ("schedules", "create", "--label", "Nightly", "--definition", "report")


def made(desk: Desk, *words: str) -> dict[str, Any]:
    """A new schedule."""
    return desk.json(*CREATE, *(words or ("--cron", "0 2 * * *")))


def test_a_schedule_is_made_with_the_flags_of_its_body(desk: Desk) -> None:
    found = made(
        desk, "--key", "nightly", "--cron", "0 2 * * *", "--timezone", "America/New_York", "--payload", '{"n": 1}',
        "--overlap", "skip", "--missed", "all", "--missed-limit", "3", "--spread", "10m", "--pause-after-failures", "5",
        "--priority", "7", "--max-attempts", "2", "--backoff", '{"base": 1}', "--enabled", "true",
    )  # fmt: skip

    expected = {
        "label": "Nightly", "definition_key": "report", "key": "nightly", "cron_expr": "0 2 * * *",
        "timezone": "America/New_York", "payload_template": {"n": 1}, "overlap": "skip", "missed": "all",
        "missed_limit": 3, "spread_seconds": 600, "pause_after_failures": 5, "priority": 7, "max_attempts": 2,
        "is_enabled": True,
    }  # fmt: skip
    assert {name: found[name] for name in expected} == expected


def test_a_backoff_may_be_a_preset(desk: Desk) -> None:
    schedule = made(desk, "--cron", "@daily", "--backoff", "jobforge")

    assert schedule["backoff"] == {"base": 1, "factor": 2, "cap": 3600, "jitter": 0}


def test_a_table_says_when_each_schedule_fires(desk: Desk) -> None:
    nightly = made(desk, "--cron", "0 2 * * *", "--key", "nightly")
    made(desk, "--interval", "15m", "--enabled", "false")

    done = desk.run("schedules", "ls")

    titles, off, on = done.out.splitlines()
    assert titles.split() == [
        *("ID", "KEY", "STATUS", "LABEL", "DEFINITION", "WHEN", "NEXT", "LAST", "OUTCOME", "NOTE"),
    ]
    assert off.split()[1:3] == ["-", "disabled"]
    assert on.split()[:4] == [nightly["id"][-8:], "nightly", "enabled", "Nightly"]
    assert nightly["words"] in on
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out


def test_every_format_names_the_same_schedule(desk: Desk) -> None:
    found = made(desk)

    answers = {name: desk.run("schedules", "list", "-o", name).out for name in ("wide", "json", "yaml", "name")}

    assert answers["wide"].splitlines()[1].startswith(found["id"])
    assert json.loads(answers["json"]) == yaml.safe_load(answers["yaml"])
    assert json.loads(answers["json"])["items"][0]["id"] == found["id"]
    assert answers["name"] == f"{found['id']}\n"


def test_lists_are_narrowed(desk: Desk) -> None:
    on, off = made(desk)["id"], made(desk, "--interval", "1h", "--enabled", "false")["id"]

    def found(*words: str) -> list[str]:
        return desk.run("schedules", "ls", "-o", "name", *words).out.split()

    assert found("--enabled", "true") == [on]
    assert found("--enabled", "false") == [off]
    assert found("--definition", "report") == [off, on]
    assert found("--definition", "nothing") == found("--late") == []
    assert desk.run("schedules", "ls", "--late").err == "There are no schedules to show.\n"


def test_a_schedule_is_named_by_id_key_or_an_end_of_its_id(desk: Desk) -> None:
    found = made(desk, "--cron", "@daily", "--key", "nightly")

    for name in (found["id"], "nightly", found["id"][-8:], found["id"][:30]):
        assert desk.json("schedules", "get", name)["id"] == found["id"]
    gone = desk.run("schedules", "get", str(uuid4()))
    assert (gone.code, gone.err.split(": ")[1]) == (3, "trigger_not_found")
    assert desk.run("schedules", "get", "deadbeef").code == 3
    assert desk.run("schedules", "get", "no such key").code == 3


def test_an_end_that_two_schedules_have_is_ambiguous(desk: Desk) -> None:
    first, second = made(desk)["id"], made(desk)["id"]
    shared = first[:6]  # of the same hour

    done = desk.run("schedules", "get", shared)

    assert done.code != 0
    assert first in done.err
    assert second in done.err


def test_an_update_changes_what_is_named_alone(desk: Desk) -> None:
    found = made(desk, "--cron", "0 2 * * *", "--timezone", "Europe/Berlin", "--priority", "3", "--payload", '{"a": 1}')

    changed = desk.json("schedules", "update", found["id"], "--interval", "15m", "--payload", '{"b": 2}')
    cleared = desk.json("schedules", "update", found["id"], "--unset", "timezone", "--unset", "priority")
    off = desk.json("schedules", "update", found["id"], "--enabled", "false")

    assert (changed["cron_expr"], changed["interval_seconds"], changed["timezone"]) == (None, 900, "Europe/Berlin")
    assert changed["payload_template"] == {"a": 1, "b": 2}
    assert (cleared["timezone"], cleared["priority"], cleared["interval_seconds"]) == (None, None, 900)
    assert (off["is_enabled"], off["next_run_at"]) == (False, None)


def test_enable_disable_and_delete(desk: Desk) -> None:
    made(desk, "--cron", "@daily", "--key", "nightly")

    off = desk.run("schedules", "disable", "nightly", "--reason", "holiday")
    on = desk.run("schedules", "enable", "nightly")
    deleted = desk.run("schedules", "delete", "nightly")

    assert off.out.splitlines()[1].split()[2] == "disabled"
    assert "holiday" in off.out
    assert on.out.splitlines()[1].split()[2] == "enabled"
    assert (deleted.code, deleted.out) == (0, "nightly deleted\n")
    assert desk.run("schedules", "delete", "nightly").code == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--enabled", "maybe"), '"maybe" is not true or false.'),
        (("--enabled", "True"), "is not true or false."),
        (("--payload", "{not json"), "The payload is not JSON"),
        (("--payload", "[1]"), "The payload is not a JSON object."),
        (("--payload", "@nowhere.json"), "Cannot read"),
        (("--overlap", "sometimes"), "--overlap"),
        (("--missed-limit", "0"), "--missed-limit"),
        (("--interval", "15m"), "exactly one of --cron, --interval and --once"),
        (("--timezone", "Mars/Olympus"), "Unknown time zone"),
        (("--ends-at", "2001-01-01T00:00:00Z", "--starts-at", "2002-01-01T00:00:00Z"), "ends_at is before starts_at"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_before_anything_is_sent(words: tuple[str, ...], said: str) -> None:
    """No server listens there: a request would end with 7."""
    for command in ((*CREATE, "--cron", "@daily"), ("schedules", "update", "nightly", "--cron", "@daily")):
        done = subprocess.run(
            [*COMMAND, *command, *words, "--server", "http://127.0.0.1:9"],
            capture_output=True, text=True, check=False, env=environment(), timeout=60,
        )  # fmt: skip
        assert (done.returncode, done.stdout) == (2, "")
        assert said in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("create", "--label", "x", "--cron", "@daily"), "--definition"),
        (("create", "--definition", "report", "--cron", "@daily"), "--label"),
        (("create", "--label", "x", "--definition", "report"), "exactly one of --cron, --interval and --once"),
        (("create", "--label", "x", "--definition", "d", "--cron", "61 * * * *"), "Invalid cron_expr"),
        (("create", "--label", "x", "--definition", "d", "--cron", "0 0 30 2 *"), "Invalid cron_expr"),
        (("update", "nightly"), "Say what to change"),
        (("update", "nightly", "--cron", "a b c"), "Invalid cron_expr"),
        (("preview",), "exactly one of CRON, --cron and --interval"),
        (("preview", "61 * * * *"), "Invalid cron_expr"),
        (("preview", "@daily", "--interval", "15m"), "exactly one of"),
        (("simulate",), "exactly one of a schedule, --cron and --interval"),
        (("simulate", "nightly", "--timezone", "UTC"), "has its own time zone"),
        (("backfill", "nightly"), "--start"),
        (("backfill", "nightly", "--start", "soon"), "is not a time"),
        (("next", "nightly", "-n", "0"), "-n"),
        (("fires", "nightly", "--outcome", "odd"), "--outcome"),
    ],
    ids=str,
)
def test_a_command_that_says_too_little_or_too_much_is_a_usage_error(
    desk: Desk, words: tuple[str, ...], said: str
) -> None:
    done = desk.run("schedules", *words)

    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_payload_comes_from_a_file_or_stdin(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text('{"n": 1}')

    from_file = made(desk, "--cron", "@daily", "--payload", f"@{tmp_path / 'p.json'}")
    piped = desk.run(*CREATE, "--cron", "@daily", "--payload", "-", "--json", stdin='{"n": 2}')

    assert from_file["payload_template"] == {"n": 1}
    assert json.loads(piped.out)["payload_template"] == {"n": 2}


def test_a_server_refuses_what_only_it_can_know(desk: Desk) -> None:
    made(desk, "--cron", "@daily", "--key", "nightly")

    unknown = desk.run("schedules", "create", "--label", "x", "--definition", "nothing", "--cron", "@daily")
    twice = desk.run(*CREATE, "--cron", "@daily", "--key", "nightly")
    template = desk.run(*CREATE, "--cron", "@daily", "--payload", '{"a": "{{ moon }}"}')

    assert (unknown.code, unknown.err.split(": ")[1]) == (2, "unknown_definition")
    assert (twice.code, twice.err.split(": ")[1]) == (5, "already_exists")
    assert (template.code, template.err.split(": ")[1]) == (2, "invalid_template")


def test_what_would_keep_jobs_from_being_made_is_said_on_stderr(desk: Desk) -> None:
    strict = {"key": "strict", "kind": "python", "arg_schema": {"type": "object", "required": ["n"]}}
    desk.store.put_definitions([strict])

    done = desk.run("schedules", "create", "--label", "x", "--definition", "strict", "--cron", "@daily")

    assert (done.code, done.err.startswith("Warning: The payload does not fit")) == (0, True)


def test_a_dry_run_sends_nothing(desk: Desk) -> None:
    done = desk.run(*CREATE, "--cron", "@daily", "--dry-run")

    body = {"label": "Nightly", "definition_key": "report", "cron_expr": "@daily"}
    assert (done.code, done.out) == (0, "")
    assert done.err == f"Would send: POST /api/v1/schedules {json.dumps(body)}\n"
    assert desk.run("schedules", "ls", "-o", "name").out == ""


def test_the_next_times_are_shown_with_the_timetable_in_words(desk: Desk) -> None:
    found = made(desk, "--cron", "0 2 * * *", "--tz", "America/New_York", "--key", "nightly")

    stored = desk.run("schedules", "next", "nightly", "-n", "3")
    typed = desk.run("schedules", "preview", "0 2 * * *", "--tz", "America/New_York", "-n", "3")
    interval = desk.json("schedules", "preview", "--interval", "15m")

    assert stored.out.splitlines()[0].split() == ["AT", "LOCAL", "IN", "NOTE"]
    assert [line.split()[:2] for line in typed.out.splitlines()] == [
        line.split()[:2] for line in stored.out.splitlines()
    ]
    assert stored.out.splitlines()[1].split()[0] == found["next_run_at"]
    assert stored.err == typed.err == f"{found['words']}.\n"
    assert len(interval["times"]) == 5


def test_a_simulation_says_what_would_have_been(desk: Desk) -> None:
    window = ("--start", "2026-03-01T00:00:00Z", "--until", "2026-04-01T00:00:00Z")
    told = desk.run("schedules", "simulate", "--cron", "30 2 * * *", "--tz", "America/New_York", *window)
    made(desk, "--cron", "@hourly", "--key", "hourly")

    assert "Would have fired 31 times, once at an odd hour" in told.err
    assert "2026-03-08" in told.out
    assert desk.json("schedules", "simulate", "hourly", "--start", "2d", "--until", "1d")["count"] == 24


def test_a_schedule_is_fired_by_hand_and_its_history_shown(desk: Desk) -> None:
    made(desk, "--cron", "0 0 * * *", "--key", "nightly", "--payload", '{"day": "{{ schedule.local_date }}"}')

    job_id = desk.run("schedules", "trigger", "nightly").out.strip()
    trial = desk.run("schedules", "backfill", "nightly", "--start", "3d", "--dry-run")
    filled = desk.run("schedules", "backfill", "nightly", "--start", "3d")
    again = desk.run("schedules", "backfill", "nightly", "--start", "3d")
    history = desk.run("schedules", "fires", "nightly").out.splitlines()

    assert desk.status(UUID(job_id)) == "queued"
    assert trial.err == "3 jobs would be made, for 3 planned times.\n"
    assert filled.err == "3 jobs were made, for 3 planned times.\n"
    assert again.err == "0 jobs were made, for 3 planned times.\n"
    assert [line.split()[1] for line in again.out.splitlines()[1:]] == ["existing"] * 3
    assert history[0].split() == ["PLANNED", "OUTCOME", "KIND", "FIRED", "JOB", "STATUS", "NOTE"]
    assert len(history) == 5
    assert desk.run("schedules", "fires", "nightly", "--outcome", "missed").out == ""


def test_a_schedule_of_another_tenant_is_changed_there(desk: Desk) -> None:
    desk.run("tenants", "create", "acme")
    found = made(desk, "--cron", "@daily", "--tenant", "acme")

    assert desk.run("schedules", "disable", found["id"]).code == 0
    assert desk.json("schedules", "get", found["id"], "--tenant", "acme")["is_enabled"] is False
    assert desk.run("schedules", "get", found["id"], "--tenant", "default").code == 3


def test_control_characters_of_a_label_do_not_reach_the_terminal(desk: Desk) -> None:
    desk.run("schedules", "create", "--label", "\x1b[2Jboom", "--definition", "report", "--cron", "@daily")

    assert "\x1b" not in desk.run("schedules", "ls").out


def test_a_terminal_gets_colours_and_lines_that_fit(desk: Desk) -> None:
    made(desk, "--cron", "0 2 * * *", "--key", "a-key-that-is-rather-long")
    main, end = pty.openpty()
    env = {**environment(), "JOBPLANE_DATABASE_URL": desk.url, "COLUMNS": "80", "TERM": "xterm"}

    done = subprocess.run(
        [*COMMAND, "schedules", "ls"], stdout=end, stderr=subprocess.PIPE, env=env, check=False, timeout=60
    )
    os.close(end)
    shown = os.read(main, 65_536).decode()
    os.close(main)

    assert (done.returncode, done.stderr) == (0, b"")
    assert "\x1b[32menabled" in shown
    assert all(len(line) <= 80 + len("\x1b[32m\x1b[0m") for line in shown.splitlines())
