"""An executor that breaks its protocol is treated as one that crashed."""

from collections.abc import AsyncGenerator
from typing import Final

import pytest

from jobplane.worker.fleet import listening
from tests.worker.fleet.stage import Stage, staged, until

pytestmark = pytest.mark.anyio
APP: Final = "tests.worker.fleet.spoiling"
WAYS: Final = (
    "garbage",
    "text",
    "invalid-utf-8",
    "unknown-job",
    "ready-again",
    "close",
    "replace",
    "truncate",
    "few-descriptors",
)


@pytest.fixture(scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stage]:
    async with staged(tmp_path_factory.mktemp("fleet"), worker_imports=[APP]) as stage:
        yield stage


@pytest.fixture
async def stage(shared: Stage) -> Stage:
    await until(lambda: shared.fleet.is_ready and shared.fleet.room() == 4)
    return shared


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["spoil", "spoil-async"])
async def test_those_that_ran_in_it_are_suspects(stage: Stage, key: str, way: str) -> None:
    neighbour, breaker = stage.job("nap"), stage.job(key, way=way)

    stage.deal(neighbour)
    await until(lambda: neighbour.seq in stage.fleet.find_begun())
    stage.deal(breaker)

    assert await stage.ended(neighbour, breaker) == [("released", "suspect")] * 2


@pytest.mark.parametrize("is_alone", [False, True])
async def test_outcomes_that_were_sent_and_not_heard_count_as_begun(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, is_alone: bool
) -> None:
    """The process runs on, and nothing that it sends is heard."""
    monkeypatch.setattr(listening, "DEAF_SECONDS", 1.5)
    jobs = [stage.job("spoil", way="swallow"), *([] if is_alone else [stage.job("nap", seconds=0.2)])]

    stage.deal(*([] if is_alone else jobs), alone=jobs if is_alone else [])

    expected = ("lost", "worker_crash") if is_alone else ("released", "suspect")
    assert await stage.ended(*jobs) == [expected] * len(jobs)


@pytest.mark.parametrize("way", ["garbage", "close", "replace", "few-descriptors"])
async def test_a_job_that_breaks_it_alone_pays(stage: Stage, way: str) -> None:
    breaker = stage.job("spoil", way=way, seconds=2 if way == "close" else 0)  # it runs still when that is found

    stage.deal(alone=[breaker])

    assert await stage.ended(breaker) == [("lost", "worker_crash")]
    error = stage.recorder.ends[breaker.seq].ending.error
    assert error is not None
    assert error.startswith("The process that ran this job alone ended before the job did: ")
    assert error.endswith("Check the handler for writes to descriptors that it did not open.")
