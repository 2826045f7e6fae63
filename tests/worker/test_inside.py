from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from jobplane import Invalid, Jobplane, JobStatus
from jobplane.core.errors import WorkerFailed
from jobplane.wiring import connect_blocking
from jobplane.worker.fetcher import Fetcher
from tests.worker.stage import APP

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
        print((await jp.wait_async(job, timeout=20)).result)
    await jp.aclose()
"""
GUARD = "if __name__ == '__main__':\n    "


async def test_a_worker_runs_inside_an_application(tmp_path: Path) -> None:
    async with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}") as jp:
        async with jp.worker(imports=[APP], processes=1, lease_seconds=5, grace_seconds=1) as worker:
            job = await jp.enqueue_async("add", {"a": 2, "b": 3})
            done = await jp.wait_async(job, timeout=20)
        later = await jp.enqueue_async("add", {"a": 2, "b": 3})

        assert (done.status, done.result) == (JobStatus.SUCCEEDED, 5)
        assert worker.worker_id
        assert (await jp.get_async(later)).status is JobStatus.QUEUED


def test_a_store_that_was_given_cannot_be_shared_with_a_worker(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'jobs.db'}"
    refused = pytest.raises(Invalid, match="name the database by its URL")
    with closing(connect_blocking(url)) as store, Jobplane(store=store) as jp, refused:
        jp.worker(imports=[APP])


def run(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "shop.py"
    script.write_text(text)
    return subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_script_is_its_own_module_of_jobs(tmp_path: Path) -> None:
    done = run(tmp_path, f"{SCRIPT}\n{GUARD}asyncio.run(main())\n")

    assert (done.returncode, done.stdout) == (0, "hello ada\n"), done.stderr


def test_a_script_without_a_guard_is_told_so_and_starts_no_storm(tmp_path: Path) -> None:
    done = run(tmp_path, f"{SCRIPT}\nasyncio.run(main())\n")

    assert done.returncode == 1
    assert "put that under `if __name__ == '__main__'" in done.stderr


async def test_a_loop_that_dies_ends_the_worker_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(_: Fetcher) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Fetcher, "step", die)
    async with Jobplane(f"sqlite:///{tmp_path / 'jobs.db'}") as jp:
        with pytest.raises(WorkerFailed, match="the loop of claims died: ZeroDivisionError"):
            async with jp.worker(imports=[APP], processes=1, lease_seconds=5) as worker:
                await worker.wait()
