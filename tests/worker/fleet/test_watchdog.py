"""Handlers are dead before their leases are, whatever happens to the supervisor."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobplane.worker.fleet.fence import SHARE
from jobplane.worker.watchdog import boot_time
from tests.worker.fleet.stage import ROOT, children, is_alive, resident_kilobytes, staged, until

LEASE_SECONDS = 4.0


@pytest.fixture
def host(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A supervisor in a process of its own; its jobs sign in `tmp_path`."""
    command = [sys.executable, "-m", "tests.worker.fleet.host", str(tmp_path), str(LEASE_SECONDS)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.send_signal(signal.SIGCONT)
        process.kill()


async def signed(directory: Path, *names: str) -> list[int]:
    await until(lambda: all((directory / name).exists() for name in names))
    return [int((directory / name).read_text().split()[0]) for name in names]


@pytest.mark.quiet
@pytest.mark.anyio
@pytest.mark.parametrize("other_watchdog", [False, True], ids=["first watchdog", "second watchdog"])
async def test_handlers_of_a_stopped_supervisor_die_before_their_leases_and_with_it(
    host: subprocess.Popen[str], tmp_path: Path, other_watchdog: bool
) -> None:
    in_c, _, lasting = await signed(tmp_path, "job-1", "job-2", "job-3")
    if other_watchdog:
        (first,) = children("watchdog.py", host.pid)
        os.kill(first, signal.SIGKILL)
        await until(lambda: set(children("watchdog.py", host.pid)) - {first})

    host.send_signal(signal.SIGSTOP)
    stopped_at = time.monotonic()
    await until(lambda: not is_alive(in_c))

    assert time.monotonic() - stopped_at < LEASE_SECONDS
    assert is_alive(lasting), "on_lost_contact=continue"
    host.send_signal(signal.SIGCONT)
    assert host.stdout is not None
    assert host.stdout.readline() == "lost_contact lost_contact\n"

    left = children("", host.pid)
    host.kill()
    await until(lambda: not any(map(is_alive, [*left, lasting])))


@pytest.mark.anyio
async def test_a_healthy_supervisor_lets_a_handler_hold_the_gil_for_more_than_a_lease(tmp_path: Path) -> None:
    async with staged(tmp_path, lease_seconds=LEASE_SECONDS) as stage:
        job = stage.job("hold-the-gil", signs=True, seconds=int(LEASE_SECONDS) + 2)
        stage.deal(job)

        def renewed() -> bool:
            stage.fleet.confirm(boot_time())
            return job.seq in stage.recorder.ends

        await until(renewed)

        assert stage.recorder.said(job.seq) == [("succeeded", None)]


@pytest.mark.quiet
@pytest.mark.anyio
async def test_what_is_not_renewed_is_killed_and_the_worker_goes_on(tmp_path: Path) -> None:
    async with staged(tmp_path, lease_seconds=LEASE_SECONDS) as stage:
        job = stage.job("hold-the-gil", signs=True)
        dealt_at = boot_time()
        stage.deal(job)

        assert await stage.ended(job) == [("released", "lost_contact")]
        assert SHARE * LEASE_SECONDS <= boot_time() - dealt_at < LEASE_SECONDS

        ends = [("released", "unstarted")]
        while ends == [("released", "unstarted")]:  # dealt to a process that the watchdog was just about to kill
            again = stage.job("noop")
            await until(stage.fleet.room)
            assert stage.deal(again) == []
            ends = await stage.ended(again)
        assert ends == [("succeeded", None)]


@pytest.mark.anyio
async def test_an_idle_worker_is_left_alone(tmp_path: Path) -> None:
    async with staged(tmp_path, lease_seconds=LEASE_SECONDS) as stage:
        job = stage.job("long", signs=True, seconds=0)
        stage.deal(job)
        await stage.ended(job)
        until_then = boot_time() + LEASE_SECONDS

        await until(lambda: boot_time() > until_then)

        assert is_alive(job.pids[0])


@pytest.mark.anyio
async def test_a_watchdog_that_is_stopped_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with staged(tmp_path) as stage:
        (first,) = children("watchdog.py")
        os.kill(first, signal.SIGSTOP)
        monkeypatch.setattr("jobplane.worker.fleet.guard.DEAF_SECONDS", 1.0)
        stage.fleet.confirm(boot_time())

        await stage.recorder.until(lambda: stage.recorder.heard("watchdog_died"))
        await until(lambda: set(children("watchdog.py")) - {first})


@pytest.mark.anyio
async def test_the_watchdog_is_small(tmp_path: Path) -> None:
    async with staged(tmp_path):
        (watchdog,) = children("watchdog.py")

        assert resident_kilobytes(watchdog) < 14 * 1024
