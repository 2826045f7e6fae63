"""`jobplane jobs logs`, as a process of its own."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pytest

from jobplane.cli.output.text import harmless
from jobplane.core.logs import LogLevel, NewLogLine
from jobplane.core.model import DEFAULT_TENANT, Json, NewJob, Outcome
from jobplane.store.sqlite.drivers import connect
from tests import programs
from tests.cli.command import COMMAND, environment, within
from tests.client import BlockingSqliteStore
from tests.leases import Held, settlement

AT: Final = datetime(2026, 1, 1, 12, 30, 15, 123456, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jobs.db"


@pytest.fixture
def store(path: Path) -> Generator[BlockingSqliteStore]:
    with BlockingSqliteStore(path) as found:
        found.put_definitions([{"key": "report", "kind": "python"}])
        yield found


@pytest.fixture
def lease(store: BlockingSqliteStore) -> Held:
    store.enqueue(DEFAULT_TENANT, [NewJob(definition="report")])
    return store.claim("default", "w").leases[0]


def log(
    store: BlockingSqliteStore, lease: Held, number: int, message: str, level: LogLevel = "info", **fields: Json
) -> None:
    ticket = lease
    assert store.log_lines([NewLogLine(ticket, number, AT, level, message, fields)]) == []


def url(path: Path) -> list[str]:
    return ["--url", f"sqlite:///{path}"]


def start(*words: str, **streams: Any) -> subprocess.Popen[str]:
    return programs.start([*COMMAND, "jobs", "logs", *words], env=environment(), **streams)


def test_lines_are_printed_with_time_attempt_level_and_fields(
    store: BlockingSqliteStore, lease: Held, path: Path
) -> None:
    log(store, lease, 1, "started", user="ü", n=3)
    log(store, lease, 2, "broke\nin two", "warning")

    done = within("jobs", "logs", str(lease.job_id), *url(path))

    assert (done.code, done.err) == (0, "")
    assert done.out == (
        '2026-01-01T12:30:15.123Z 1 info    started user="ü" n=3\n2026-01-01T12:30:15.123Z 1 warning broke\nin two\n'
    )


def test_json_is_one_object_for_each_line(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    log(store, lease, 1, "a\nb\u2028\x1b[2J", x=None)

    done = within("jobs", "logs", str(lease.job_id), "--json", *url(path))

    [line] = done.out.splitlines()
    assert json.loads(line) == {
        "attempt_no": 1,
        "line": 1,
        "at": "2026-01-01T12:30:15.123456Z",
        "level": "info",
        "message": "a\nb\u2028\x1b[2J",
        "fields": {"x": None},
        "undecodable": [],
    }


def test_what_of_a_line_cannot_be_decoded_is_said(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    log(store, lease, 1, "lost", x=1)
    log(store, lease, 2, "kept", x=2)
    link = connect("apsw", path)
    link.rows(
        "update jobplane_logs set message = cast(x'ff' as text), at = 9e18, level = cast(x'ff' as text) where line = 1"
    )
    link.close()

    shown = within("jobs", "logs", str(lease.job_id), *url(path))
    as_json = within("jobs", "logs", str(lease.job_id), "--json", *url(path))

    assert (shown.code, shown.err) == (0, "")
    assert shown.out == (
        "- 1 -        x=1 [cannot be decoded: at, level, message]\n2026-01-01T12:30:15.123Z 1 info    kept x=2\n"
    )
    first, second = map(json.loads, as_json.out.splitlines())
    assert (first["at"], first["message"], first["undecodable"]) == (None, None, ["at", "level", "message"])
    assert (second["message"], second["undecodable"]) == ("kept", [])


def test_one_attempt_is_picked_out(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    log(store, lease, 1, "first")
    store.settle([settlement(lease=lease, outcome=Outcome.FAILED, retry_after=0)])
    store.promote()
    [again] = store.claim("default", "w").leases
    log(store, again, 1, "second")

    done = within("jobs", "logs", str(lease.job_id), "--attempt", "2", *url(path))

    assert [line.split()[1:] for line in done.out.splitlines()] == [["2", "info", "second"]]


def test_an_attempt_without_lines_is_said_to_have_none(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    log(store, lease, 1, "first")

    done = within("jobs", "logs", str(lease.job_id), "--attempt", "9", "--json", *url(path))

    said = "Attempt 9 has no log lines. Attempts of this job so far: 1.\n"
    assert (done.code, done.out, done.err) == (0, "", said)


TRACEBACK: Final = 'Traceback (most recent call last):\n  File "own.py", line 1, in own\nValueError: as it has to'


def test_a_job_without_lines_shows_its_status_and_its_error(
    store: BlockingSqliteStore, lease: Held, path: Path
) -> None:
    running = within("jobs", "logs", str(lease.job_id), *url(path))
    store.settle([settlement(lease=lease, outcome=Outcome.FATAL, error=TRACEBACK)])

    failed = within("jobs", "logs", str(lease.job_id), *url(path))
    attempt = within("jobs", "logs", str(lease.job_id), "--attempt", "1", *url(path))

    assert running.out.startswith(f"Job {lease.job_id} (report) has been running for ")
    assert running.out.endswith(" It has no log lines.\n")
    said, *error = failed.out.splitlines()
    assert said.startswith(f"Job {lease.job_id} (report) failed ")
    assert "\n".join(error) == TRACEBACK
    assert attempt.out.startswith("Attempt 1 failed")
    assert attempt.out.endswith(f"{TRACEBACK}\n")
    assert (running.err, failed.err, attempt.err) == ("", "", "")


def test_as_json_a_job_without_lines_is_one_object_of_the_same_shape(
    store: BlockingSqliteStore, lease: Held, path: Path
) -> None:
    store.settle([settlement(lease=lease, outcome=Outcome.FATAL, error=TRACEBACK)])

    [line] = map(json.loads, within("jobs", "logs", str(lease.job_id), "--json", *url(path)).out.splitlines())

    assert line.keys() == {"attempt_no", "line", "at", "level", "message", "fields", "undecodable"}
    assert (line["attempt_no"], line["line"], line["level"]) == (1, 0, "error")
    assert line["fields"] == {"status": "failed", "reason": None, "error": TRACEBACK}


def test_following_a_job_without_lines_waits_for_its_end(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    process = start(str(lease.job_id), "-f", *url(path), stdout=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        process.communicate(timeout=1)

    store.settle([settlement(lease=lease, outcome=Outcome.FATAL, error=TRACEBACK)])

    said, _ = process.communicate(timeout=30)
    assert said.startswith(f"Job {lease.job_id} (report) failed ")
    assert said.endswith(f"{TRACEBACK}\n")


def test_a_tenant_is_named_by_its_slug_or_its_uuid(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    log(store, lease, 1, "mine")

    done = within("jobs", "logs", str(lease.job_id), "--tenant", str(DEFAULT_TENANT), *url(path))
    nobody = within("jobs", "logs", str(lease.job_id), "--tenant", "nobody", *url(path))

    assert done.out.endswith(" mine\n")
    assert "--tenant takes a slug or an id." in nobody.err


def test_following_prints_at_once_and_ends_with_the_job(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    log(store, lease, 1, "one")
    process = start(str(lease.job_id), "-f", *url(path), stdout=subprocess.PIPE)
    assert process.stdout

    assert process.stdout.readline().endswith(" one\n")
    log(store, lease, 2, "two")
    assert process.stdout.readline().endswith(" two\n")
    log(store, lease, 3, "three")
    store.settle([settlement(lease=lease, outcome=Outcome.FATAL)])
    rest, _ = process.communicate(timeout=30)

    assert rest.endswith(" three\n")
    assert process.returncode == 0


def test_ctrl_c_ends_following_with_130(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    log(store, lease, 1, "one")
    process = start(str(lease.job_id), "-f", *url(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)

    assert (process.returncode, said.strip()) == (130, "jobplane: interrupted: Stopped by the keyboard.")


def test_a_reader_that_leaves_is_no_error_to_speak_of(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    for number in range(1, 200):
        log(store, lease, number, "x" * 5000)
    process = start(str(lease.job_id), *url(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout
    assert process.stderr
    process.stdout.readline()
    process.stdout.close()

    assert process.stderr.read() == ""
    assert process.wait(30) == 1
    process.stderr.close()


def test_a_job_that_is_not_there_or_anothers_is_not_found(store: BlockingSqliteStore, lease: Held, path: Path) -> None:
    store.create_tenant("charlie")
    log(store, lease, 1, "secret")

    unknown = within("jobs", "logs", str(uuid4()), "-f", *url(path))
    anothers = within("jobs", "logs", str(lease.job_id), "--tenant", "charlie", *url(path))
    nobody = within("jobs", "logs", str(lease.job_id), "--tenant", "nobody", *url(path))

    assert [answer.code for answer in (unknown, anothers, nobody)] == [3, 3, 3]
    assert anothers.err.startswith("jobplane: job_not_found: There is no ")
    assert nobody.err.startswith("jobplane: tenant_not_found: ")
    assert "secret" not in anothers.out


@pytest.mark.parametrize(
    "words", [["nonsense"], [], [str(uuid4()), "--attempt", "0"], [str(uuid4()), "--attempt", "x"]]
)
def test_nonsense_is_a_usage_error(words: list[str]) -> None:
    assert within("jobs", "logs", *words).code == 2


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    done = within("jobs", "logs", str(uuid4()), *url(tmp_path / "typo.db"))

    assert done.code == 7
    assert list(tmp_path.iterdir()) == []


def test_a_database_that_does_not_answer_is_7() -> None:
    done = within("jobs", "logs", str(uuid4()), "--url", "postgresql://nobody@127.0.0.1:1/none?connect_timeout=1")

    assert done.code == 7


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttab\nline", "plain\ttab\nline"),
        ("\x1b[1;31mred\x1b[0m", "\x1b[1;31mred\x1b[0m\x1b[0m"),
        ("\x1b[2J\x1b[10;10Hgone\x1b[?25l", "gone"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"),
        ("\x1b]0;never ends", ""),
        ("\x1bPq#0\x1b\\c\x1bc\r\x08\x9b31m\x7f", "c31m"),
        ("\x1b", ""),
    ],
)
def test_a_terminal_gets_colours_and_no_other_controls(text: str, shown: str) -> None:
    assert harmless(text) == shown


@pytest.mark.parametrize("no_color", ["", "1"])
def test_colours_are_for_a_terminal_that_wants_them(
    store: BlockingSqliteStore, lease: Held, path: Path, monkeypatch: pytest.MonkeyPatch, no_color: str
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    log(store, lease, 1, "\x1b[2J\x1b[31mred\x1b[0m")
    main, end = pty.openpty()
    process = start(str(lease.job_id), *url(path), stdout=end)
    assert process.wait(30) == 0
    os.close(end)
    shown = os.read(main, 10_000).decode()
    os.close(main)

    assert shown.endswith(" red\r\n" if no_color else " \x1b[31mred\x1b[0m\x1b[0m\r\n")
    assert within("jobs", "logs", str(lease.job_id), *url(path)).out.endswith(" red\n")
