from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from jobplane import Invalid, JobHandle, Jobplane, JobStatus
from jobplane.core.errors import WorkerFailed
from jobplane.core.model import Json
from jobplane.opening import connect_blocking
from jobplane.worker.fetcher import Fetcher
from tests.database import Database
from tests.worker.conftest import postgres
from tests.worker.stage import APP, until, until_async

SCRIPT = """
import asyncio
from jobplane import Context, Jobplane

jp = Jobplane("sqlite:///jobs.db")

@jp.job("greet")
def greet(ctx: Context, name: str) -> str:
    return f"hello {name}"

async def main() -> None:
    async with jp.worker(processes=1, lease_seconds=5):
        job = await greet.enqueue_async(name="ada")
        print((await jp.wait_async(job, timeout=60)).result)
    await jp.aclose()
"""
GUARD = "if __name__ == '__main__':\n    "


@pytest.fixture(params=["postgres", "sqlite"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The application's; what its worker needs beside it is in the environment."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'jobs.db'}"
    db: Database = request.getfixturevalue("db")
    for name, value in postgres(db).items():
        monkeypatch.setenv(name, value)
    return db.url("app")


async def running(jp: Jobplane, key: str, **payload: Json) -> JobHandle:
    """A job that has begun."""
    job = await jp.enqueue_async(key, payload)

    async def has_begun() -> bool:
        return (await jp.get_async(job)).status is JobStatus.RUNNING

    await until_async(has_begun)
    return job


async def test_a_worker_runs_inside_an_application(url: str) -> None:
    async with Jobplane(url) as jp:
        async with jp.worker(imports=[APP], processes=1, lease_seconds=5, grace_seconds=1) as worker:
            job = await jp.enqueue_async("add", {"a": 2, "b": 3})
            done = await jp.wait_async(job, timeout=60)
        later = await jp.enqueue_async("add", {"a": 2, "b": 3})

        assert (done.status, done.result) == (JobStatus.SUCCEEDED, 5)
        assert worker.worker_id
        assert (await jp.get_async(later)).status is JobStatus.QUEUED


async def test_at_the_end_of_the_block_jobs_finish_in_the_grace_time(url: str, tmp_path: Path) -> None:
    async with Jobplane(url) as jp:
        async with jp.worker(imports=[APP], processes=1, grace_seconds=60):
            job = await running(jp, "wait", mark=str(tmp_path / "mark"))
            await asyncio.to_thread(until, (tmp_path / "mark.begun").exists)  # not only claimed
            asyncio.get_running_loop().call_later(0.5, (tmp_path / "mark").touch)

        done = await jp.get_async(job)
        assert (done.status, done.attempts) == (JobStatus.SUCCEEDED, 1)


async def test_who_is_canceled_while_it_waits_for_them_gives_them_back_at_once(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    jobs: list[JobHandle] = []

    async def work(jp: Jobplane) -> None:
        async with jp.worker(imports=[APP], processes=1, grace_seconds=600):
            jobs.append(await running(jp, "rest", seconds=600))

    async def is_stopping() -> bool:
        return any(each.startswith("Worker stopping.") for each in caplog.messages)

    with caplog.at_level(logging.INFO, "jobplane.worker"):
        async with Jobplane(url) as jp:
            working = asyncio.create_task(work(jp))
            await until_async(is_stopping)

            working.cancel()

            assert await asyncio.wait({working}, timeout=60) == ({working}, set())
            assert working.cancelled()
            found = await jp.get_async(jobs[0])
            assert (found.status, found.attempts) == (JobStatus.QUEUED, 0)


def test_a_store_that_was_given_cannot_be_shared_with_a_worker(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    refused = pytest.raises(Invalid, match="Name the database by its URL")
    with closing(connect_blocking(url)) as store, Jobplane(store=store) as jp, refused:
        jp.worker(imports=[APP])


def run(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "shop.py"
    script.write_text(text)
    return subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=90, check=False
    )


def test_a_script_is_its_own_module_of_jobs(tmp_path: Path) -> None:
    done = run(tmp_path, f"{SCRIPT}\n{GUARD}asyncio.run(main())\n")

    assert (done.returncode, done.stdout) == (0, "hello ada\n"), done.stderr


LOGGING = {"none": "", "its own": "import logging\nlogging.basicConfig(level=logging.INFO)\n"}


@pytest.mark.parametrize("own", LOGGING)
def test_a_program_with_its_own_logging_reads_what_went_wrong_and_where(tmp_path: Path, own: str) -> None:
    failing = SCRIPT.replace('return f"hello {name}"', 'raise ValueError("the reason")')
    once = failing.replace('job("greet"', 'job("greet", max_attempts=1')
    done = run(tmp_path, f"{LOGGING[own]}{once}\n{GUARD}asyncio.run(main())\n")

    [line] = [each for each in done.stderr.splitlines() if "Attempt failed." in each]
    assert "Attempt failed. The job is now a dead letter. job_id=" in line
    assert "tenant=default" in line
    assert "definition_key=greet" in line
    assert line.endswith("attempt_no=1 status=dead_letter attempts_left=0 error='ValueError: the reason'")


def test_a_script_without_a_guard_is_told_so_and_starts_no_storm(tmp_path: Path) -> None:
    done = run(tmp_path, f"{SCRIPT}\nasyncio.run(main())\n")

    assert done.returncode == 1
    assert 'Start it under `if __name__ == "__main__":`.' in done.stderr


async def test_a_loop_that_dies_ends_the_worker_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(_: Fetcher) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Fetcher, "step", die)
    async with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}") as jp:
        with pytest.raises(WorkerFailed, match="The loop of claims died: ZeroDivisionError"):
            async with jp.worker(imports=[APP], processes=1, lease_seconds=5) as worker:
                await worker.wait()
