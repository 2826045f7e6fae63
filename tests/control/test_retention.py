"""The pace of the retention, and how it stops."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from jobplane.control import retention as module
from jobplane.control.retention import Retention
from jobplane.core.artifacts import digest_of, path_of
from jobplane.core.errors import StoreBusy
from jobplane.core.retention import ArtifactsStep, JobsStep, LogsStep, ReceiptsStep
from jobplane.execution.artifacts import Artifacts
from jobplane.store.base import Answer
from jobplane.store.verbs.retention import DropLogBlock, FindArtifacts, PruneJobs, PruneLogs, PruneReceipts
from jobplane.store.verbs.verb import EngineVerb


@dataclass
class Walked:
    """A store in which each step takes so many seconds for each job that it looks at; the walk has so many steps."""

    seconds: float = 0.0
    steps: int = 5
    busy: int = 0  # steps of more jobs than this are given up
    blocks: int = 0
    now: float = 1000.0
    limits: list[int] = field(default_factory=list[int])
    pauses: list[float] = field(default_factory=list[float])
    asked: list[EngineVerb[Any]] = field(default_factory=list[EngineVerb[Any]])

    async def run(self, verb: EngineVerb[Answer]) -> Answer:
        self.asked.append(verb)
        return cast("Answer", self._answer(verb))

    def _answer(self, verb: EngineVerb[Any]) -> object:
        match verb:
            case DropLogBlock():
                self.blocks -= 1
                return int(self.blocks >= 0)
            case PruneReceipts():
                return ReceiptsStep(None, 0, 0)
            case PruneJobs(limit=limit) | PruneLogs(limit=limit) | FindArtifacts(limit=limit):
                self._take(limit)
                more = None if self.steps == 0 else self.steps
                if isinstance(verb, PruneJobs):
                    return JobsStep([], more, limit)
                return LogsStep([], more, limit) if isinstance(verb, PruneLogs) else ArtifactsStep([], more)
            case _:
                raise AssertionError(verb)

    def _take(self, limit: int) -> None:
        self.limits.append(limit)
        self.now += limit * self.seconds
        if self.busy and limit > self.busy:
            raise StoreBusy("the statement was given up")
        self.steps -= 1

    async def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    def tool(self) -> Retention:
        return Retention(self, pause=self.pause, clock=lambda: self.now)


@pytest.mark.parametrize("run", [Retention.prune_jobs, Retention.prune_logs])
async def test_a_step_that_takes_longer_than_a_second_is_followed_by_a_smaller_one(
    run: Callable[[Retention], Any],
) -> None:
    store = Walked(seconds=0.003)

    done = await run(store.tool())

    assert done.is_complete
    assert store.limits == [1000, 500, 250, 250, 250]


async def test_a_quick_step_is_followed_by_a_larger_one() -> None:
    store = Walked(seconds=0.003, steps=3)
    tool = store.tool()
    await tool.prune_logs()
    store.seconds, store.steps = 0.0001, 4

    await tool.prune_logs()

    assert store.limits == [1000, 500, 250, 250, 500, 1000, 1000]


async def test_a_step_that_the_database_gives_up_is_tried_again_with_half_as_many() -> None:
    store = Walked(seconds=0.00001, steps=2, busy=300)

    assert (await store.tool().prune_jobs()).is_complete

    assert store.limits == [1000, 500, 250, 500, 250]


async def test_a_step_of_one_job_that_is_given_up_is_an_error() -> None:
    store = Walked(steps=2, busy=-1)

    with pytest.raises(StoreBusy):
        await store.tool().prune_jobs()

    assert store.limits == [1000, 500, 250, 125, 62, 31, 15, 7, 3, 1]


async def test_between_the_steps_it_rests_three_times_as_long_as_they_take() -> None:
    store = Walked(seconds=0.0005, steps=3)

    await store.tool().prune_jobs()

    assert store.pauses == pytest.approx([1.5, 1.5, 1.5])


async def test_a_run_stops_between_two_steps_and_says_so() -> None:
    stopping, store = threading.Event(), Walked(seconds=0.0001)
    tool = Retention(store, stopping=stopping, pause=lambda _: _set(stopping), clock=lambda: store.now)

    jobs = await tool.prune_jobs()
    logs = await tool.prune_logs()

    assert (jobs.is_complete, logs.is_complete, len(store.limits)) == (False, False, 1)


async def _set(event: threading.Event) -> None:
    event.set()


async def test_whole_blocks_go_first_and_are_tried_again_on_the_way() -> None:
    store = Walked(steps=module.BLOCK_TRIES + 1, blocks=2)

    done = await store.tool().prune_logs()

    assert done.blocks == 2
    kinds = [type(verb).__name__ for verb in store.asked]
    assert kinds == [*["DropLogBlock"] * 3, *["PruneLogs"] * module.BLOCK_TRIES, "DropLogBlock", "PruneLogs"]


async def test_a_dry_run_drops_no_block() -> None:
    store = Walked(blocks=2)

    await store.tool().prune_logs(dry_run=True)

    assert not [verb for verb in store.asked if isinstance(verb, DropLogBlock)]
    assert all(verb.dry_run for verb in store.asked if isinstance(verb, PruneLogs))


async def test_a_file_that_is_touched_while_it_goes_comes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker has found it, and its result is about to name it."""
    digest = digest_of(Artifacts(tmp_path).keep(["x"])) or ""
    path = path_of(tmp_path, digest)
    os.utime(path, (1, 1))
    rename = Path.rename

    def touch_and_rename(self: Path, target: Path) -> Path:
        if self == path:
            Artifacts(tmp_path).keep(["x"])
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", touch_and_rename)

    done = await Walked(steps=1).tool().prune_artifacts(tmp_path)

    assert (done.files, [entry.name for entry in path.parent.iterdir()]) == (0, [path.name])


async def test_a_stopped_search_for_results_removes_no_file(tmp_path: Path) -> None:
    digest = digest_of(Artifacts(tmp_path).keep(["x"])) or ""
    os.utime(path_of(tmp_path, digest), (1, 1))
    stopping, store = threading.Event(), Walked(seconds=0.0001)
    tool = Retention(store, stopping=stopping, pause=lambda _: _set(stopping), clock=lambda: store.now)

    done = await tool.prune_artifacts(tmp_path)

    assert (done.files, done.is_complete, path_of(tmp_path, digest).exists()) == (0, False, True)
