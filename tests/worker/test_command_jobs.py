"""Commands as jobs: a real worker, real children, both stores."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import UUID

import pytest

from jobplane import JobStatus
from jobplane.core.model import DEFAULT_TENANT
from tests.client import BlockingStore
from tests.worker.command_site import CommandSite
from tests.worker.stage import Stage, until

OURS = f"60.{os.getpid()}"  # seconds; the processes of tests that run beside these have others
AT_ONCE = {"base": 0, "factor": 1, "cap": 0, "jitter": 0}


@pytest.fixture
def site(any_stage: Stage, any_store: BlockingStore, tmp_path: Path) -> CommandSite:
    return CommandSite(any_stage, any_store, tmp_path)


def test_a_command_runs_with_its_payload_and_its_output_is_on_record(site: CommandSite) -> None:
    site.allow(site.shell("greet", 'echo "hello $1"; echo careful >&2; echo "{\\"jobplane\\": {\\"result\\": 7}}"'))
    site.started()

    job = site.run("greet", text="; rm -rf / $(reboot) `id`")

    assert (job.status, job.attempts, job.result) == (JobStatus.SUCCEEDED, 1, 7)
    assert sorted(site.lines(job)) == ["careful", "hello ; rm -rf / $(reboot) `id`"]
    [attempt] = site.store.attempts(DEFAULT_TENANT, job.id)
    assert attempt.exit_code == 0
    assert attempt.pid is not None
    output = site.store.get_output(DEFAULT_TENANT, job.id, 1)
    assert output is not None
    assert output.stderr_tail == "careful\n"
    assert output.stdout_tail.startswith("hello ; rm -rf /")
    assert isinstance(job.id, UUID)


def test_exit_codes_lead_where_the_definition_says(site: CommandSite) -> None:
    codes = {"3": "fail", "4": "succeed"}
    site.allow(
        site.shell("leave", 'echo "because of $1" >&2; exit "$1"', exit_codes=codes, max_attempts=2, backoff=AT_ONCE)
    )
    site.started()

    retried, failed, succeeded = (site.run("leave", text=code) for code in ("75", "3", "4"))

    assert (retried.status, retried.attempts) == (JobStatus.DEAD_LETTER, 2)
    assert (failed.status, failed.attempts, failed.reason) == (JobStatus.FAILED, 1, "exit_code")
    assert "because of 3" in (failed.error or "")
    assert succeeded.status is JobStatus.SUCCEEDED


@pytest.fixture
def anywhere() -> Generator[Path]:
    """A directory in which the user of the commands can make files."""
    with TemporaryDirectory(dir="/tmp") as directory:
        Path(directory).chmod(0o777)
        yield Path(directory)


def test_a_changed_definition_is_held_and_nothing_is_started_or_spent(site: CommandSite, anywhere: Path) -> None:
    canary = anywhere / "canary"
    definition = site.shell("touch", "exit 0")
    site.allow(definition)
    worker = site.started()
    assert site.run("touch").status is JobStatus.SUCCEEDED

    changed = site.store.change_definition(
        definition.id, {"command": {**(definition.command or {}), "argv": ["-c", f"touch {canary}"]}}
    )
    job = site.enqueue("touch")

    until(lambda: site.stage.jp.get(job).held_by == "policy_mismatch")
    assert site.stage.jp.get(job).attempts == 0
    assert not canary.exists()
    worker.until("command_refused")
    site.allow(changed)
    assert site.stage.ended(job).status is JobStatus.SUCCEEDED
    assert canary.exists()


def test_a_definition_that_is_deactivated_before_the_start_starts_no_process(site: CommandSite) -> None:
    definition = site.shell("touch", "exit 0")
    site.allow(definition)
    site.store.change_definition(definition.id, {"active": False})
    site.store.change_definition(definition.id, {"active": True})
    job = site.enqueue("touch")
    site.store.change_definition(definition.id, {"active": False})

    site.started()

    until(lambda: site.stage.jp.get(job).held_by == "definition_inactive")
    assert site.stage.jp.get(job).attempts == 0


def test_a_worker_without_a_policy_runs_no_commands(site: CommandSite) -> None:
    site.shell("greet", "echo hello")
    site.stage.started()

    job = site.enqueue("greet")

    until(lambda: site.stage.jp.get(job).held_by == "no_worker")


def test_a_worker_runs_handlers_and_commands_of_one_queue(site: CommandSite) -> None:
    site.allow(site.shell("greet", 'echo "hello $1"'))
    site.started(worker_imports="tests.worker.app")

    jobs = [
        job
        for number in range(10)
        for job in (site.enqueue("greet", text=str(number)), site.stage.enqueue("add", a=1, b=2))
    ]

    assert {site.stage.ended(job).status for job in jobs} == {JobStatus.SUCCEEDED}


def test_short_commands_behind_handlers_wait_in_the_worker(site: CommandSite) -> None:
    """The first claim brings all of them. Each that went back would be away for longer than all take."""
    site.allow(site.shell("greet", 'echo "hello $1"'))
    jobs = [site.enqueue("greet", text=str(number)) for number in range(20)]

    site.started(worker_imports="tests.worker.app", worker_commands="2")

    assert {site.stage.ended(job).status for job in jobs} == {JobStatus.SUCCEEDED}
    attempts = [attempt for job in jobs for attempt in site.stage.jp.attempts(job)]
    assert len(attempts) == len(jobs)


def test_a_large_result_is_kept_as_a_file_and_frees_its_place(site: CommandSite, tmp_path: Path) -> None:
    script = """(printf '"'; head -c 300000 /dev/zero | tr '\\0' x; printf '"') > result.json"""
    site.allow(site.shell("large", script))
    site.started(artifacts_dir=str(tmp_path / "artifacts"), worker_commands="1")

    jobs = [site.enqueue("large") for _ in range(2)]

    assert {site.stage.ended(job).status for job in jobs} == {JobStatus.SUCCEEDED}
    [kept] = [path for path in (tmp_path / "artifacts").rglob("*") if path.is_file()]
    assert kept.stat().st_size == 300_002


def test_a_timeout_and_a_cancel_end_every_descendant(site: CommandSite) -> None:
    sleep = f"sleep {OURS}"
    script = f'(trap "" TERM; setsid sh -c "trap \\"\\" TERM; {sleep}" & {sleep}) & trap "" TERM; echo up; {sleep}'
    site.allow(
        site.shell("stay", script, timeout_seconds=1), site.shell("stay-longer", script), lines="grace_seconds = 0.5"
    )
    site.started()

    late = site.run("stay")
    long = site.enqueue("stay-longer")
    until(lambda: "up" in site.lines(long))
    site.stage.jp.cancel(long)

    assert (late.status, late.reason) == (JobStatus.DEAD_LETTER, "timeout")
    assert site.stage.ended(long).status is JobStatus.CANCELED
    assert find_processes(OURS) == []


def find_processes(word: str) -> list[Path]:
    """Processes with this word in their command line."""
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if word.encode() in _read(path)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_a_stopping_worker_releases_the_commands_that_do_not_end_in_time(site: CommandSite) -> None:
    site.allow(site.shell("stay", f"echo up; sleep {OURS}", max_attempts=2))  # with 1 it would be a dead letter
    worker = site.started(grace_seconds="0.5")
    job = site.enqueue("stay")
    until(lambda: "up" in site.lines(job))

    worker.stop()

    assert worker.left() == 0, worker.log()
    assert "launcher_died" not in worker.log(), "it has been told to end"
    found = site.stage.jp.get(job)
    assert (found.status, found.attempts) == (JobStatus.QUEUED, 0)
    assert find_processes(OURS) == []
