"""Whoever of a worker is killed or stopped, its command's processes are dead before the lease ends."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from jobplane import JobHandle, JobStatus
from jobplane.core.model import DEFAULT_TENANT
from tests.client import BlockingStore
from tests.worker.command_site import CommandSite
from tests.worker.commands.site import find_processes
from tests.worker.stage import Stage, Worker, until

pytestmark = pytest.mark.parametrize("any_stage", ["postgres"], indirect=True)
LEASE_SECONDS: Final = 5
IGNORES: Final = 'trap "" TERM HUP'
STUBBORN: Final = f"""
    {IGNORES}; ({IGNORES}; setsid sh -c '{IGNORES}; sleep 300 & sleep 300' >/dev/null 2>&1 &)
    sleep 300 & echo up; sleep 300
"""
SUPERVISOR, LAUNCHER, KEEPER = "supervisor", "launcher", "keeper"


class Scene(NamedTuple):
    """A worker of its own for one command, and who of it is hit."""

    worker: Worker
    job: JobHandle
    pids: Mapping[str, int]
    victims: tuple[str, ...]

    def hit(self, number: signal.Signals) -> None:
        for victim in self.victims:
            os.kill(self.pids[victim], number)

    @property
    def processes(self) -> list[int]:
        """Those of the command."""
        return find_processes(str(self.job.id))


@pytest.fixture
def site(any_stage: Stage, any_store: BlockingStore, tmp_path: Path) -> CommandSite:
    return CommandSite(any_stage, any_store, tmp_path)


def play(site: CommandSite, *casts: tuple[str, ...]) -> list[Scene]:
    """A worker and a running command for each, and one worker more, which reaps."""
    keys = [f"stay-{number}" for number in range(len(casts))]
    site.store.put_queues([{"name": key} for key in keys])
    site.allow(*(site.shell(key, STUBBORN, queue=key) for key in keys), lines="grace_seconds = 0.2")
    workers = [site.started(worker_queues=key, lease_seconds=str(LEASE_SECONDS)) for key in keys]
    site.started(worker_queues="default")
    jobs = [site.enqueue(key) for key in keys]
    for job in jobs:
        until(lambda job=job: "up" in site.lines(job))
    return [Scene(*each) for each in zip(workers, jobs, map(_find_parents, jobs, workers), casts, strict=True)]


def _find_parents(job: JobHandle, worker: Worker) -> Mapping[str, int]:
    """All orphans of a command have its keeper as their parent."""
    found = find_processes(str(job.id))
    [keeper] = {_parent(pid) for pid in found} - set(found)
    assert len(found) >= 4
    assert _parent(_parent(keeper)) == worker.process.pid
    return {KEEPER: keeper, LAUNCHER: _parent(keeper), SUPERVISOR: worker.process.pid}


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])


def _judge(site: CommandSite, scenes: list[Scene], hit_at: float) -> None:
    """No process of a command outlives the lease, and every attempt has its outcome."""
    until(lambda: not any(scene.processes for scene in scenes))
    assert time.monotonic() - hit_at < LEASE_SECONDS
    for scene in scenes:
        job = site.stage.ended(scene.job)
        attempts = site.store.attempts(DEFAULT_TENANT, job.id)
        assert (job.status, len(attempts)) == (JobStatus.DEAD_LETTER, 1), scene.victims
        assert attempts[0].status in ("lost", "released"), scene.victims


@pytest.mark.quiet
def test_commands_die_with_whoever_is_killed(site: CommandSite) -> None:
    scenes = play(site, (SUPERVISOR,), (LAUNCHER,), (KEEPER,), (SUPERVISOR, KEEPER), (SUPERVISOR, LAUNCHER))

    hit_at = time.monotonic()
    for scene in scenes:
        scene.hit(signal.SIGKILL)

    _judge(site, scenes, hit_at)


@pytest.mark.quiet
def test_commands_die_while_whoever_is_stopped(site: CommandSite) -> None:
    scenes = play(site, (SUPERVISOR,), (SUPERVISOR, KEEPER))

    hit_at = time.monotonic()
    for scene in scenes:
        scene.hit(signal.SIGSTOP)

    _judge(site, scenes, hit_at)
    for scene in scenes:
        scene.worker.process.send_signal(signal.SIGCONT)
        scene.worker.stop()
        assert scene.worker.left() == 0


def test_a_keeper_that_is_stopped_goes_on(site: CommandSite) -> None:
    [scene] = play(site, (KEEPER,))

    scene.hit(signal.SIGSTOP)
    site.stage.jp.cancel(scene.job)

    assert site.stage.ended(scene.job).status is JobStatus.CANCELED
    assert scene.processes == []
    assert site.store.get_output(DEFAULT_TENANT, scene.job.id, 1), "the keeper has reported, and was not killed"


@pytest.mark.quiet
def test_a_launcher_that_is_stopped_goes_on_and_ends_what_a_killed_keeper_left(site: CommandSite) -> None:
    [scene] = play(site, (KEEPER,))
    os.kill(scene.pids[LAUNCHER], signal.SIGSTOP)

    scene.hit(signal.SIGKILL)
    job = site.stage.ended(scene.job)

    assert scene.processes == []
    assert job.reason == "keeper_died"
    assert "launcher_died" not in scene.worker.log()


def test_a_new_launcher_takes_the_place_of_one_that_died(site: CommandSite) -> None:
    site.allow(site.shell("greet", "echo hello"))
    [scene] = play(site, (LAUNCHER,))
    site.allow(site.shell("after", "echo hello", queue="stay-0"))

    scene.hit(signal.SIGKILL)
    site.stage.ended(scene.job)

    assert site.run("after").status is JobStatus.SUCCEEDED
