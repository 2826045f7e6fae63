"""Jobs through real executors, and what becomes of them when a process dies."""

import json
import os
import signal
from collections.abc import AsyncGenerator
from pathlib import Path
from uuid import UUID

import pytest

from jobplane.core.leases import SUCCEEDED
from jobplane.worker.fleet import listening, pool
from tests.worker.fleet.stage import EXECUTOR, Stage, children, is_alive, staged, until

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncGenerator[Stage]:
    async with staged(tmp_path_factory.mktemp("fleet")) as stage:
        yield stage


@pytest.fixture
async def stage(shared: Stage) -> Stage:
    """A fleet that outlives its deaths: here with one executor and one spare, both ready and with nothing to do."""
    await until(lambda: not shared.fleet.list_held() and len(children(EXECUTOR)) == 2)
    await shared.recorder.until(
        lambda: {facts["pid"] for facts in shared.recorder.heard("executor_started")} >= set(children(EXECUTOR))
    )
    return shared


async def test_jobs_run_and_every_lease_comes_back_once(stage: Stage) -> None:
    jobs = [stage.job("noop") for _ in range(3)]
    answer = stage.job("answer")
    assert stage.deal(*jobs, answer) == []
    ended = await stage.ended(*jobs, answer)

    assert set(ended) == {("succeeded", None)}
    assert stage.recorder.ends[answer.seq].ending.result == "42"
    assert stage.fleet.list_held() == []


async def test_what_ran_in_a_killed_executor_is_suspect_and_what_waited_is_not(stage: Stage) -> None:
    first = stage.job("noop")
    stage.deal(first)
    await stage.ended(first)  # from now on it buffers
    running = [stage.job("long", signs=True) for _ in range(4)]
    waiting = [stage.job("noop") for _ in range(3)]
    stage.deal(*running, *waiting)
    await stage.signed(*running)
    assert len(stage.fleet.list_held()) == 7
    assert stage.fleet.find_begun() == {job.seq for job in running}

    os.kill(running[0].pids[0], signal.SIGKILL)

    assert set(await stage.ended(*running)) == {("released", "suspect")}
    assert set(await stage.ended(*waiting)) == {("released", "unstarted")}


@pytest.mark.parametrize("alone", [False, True], ids=["shared", "alone"])
async def test_a_job_that_returned_has_succeeded_even_if_its_process_dies_before_it_says_so(
    stage: Stage, alone: bool
) -> None:
    job = stage.job("return-and-die")

    stage.deal(*([] if alone else [job]), alone=[job] if alone else [])

    assert await stage.ended(job) == [("succeeded", None)]
    assert stage.recorder.ends[job.seq].ending is not SUCCEEDED, "which has no line of its own in the log"


@pytest.mark.parametrize(("key", "end"), [("answer", ("succeeded", None)), ("refuse", ("fatal", "no such picture"))])
async def test_an_outcome_survives_a_process_that_dies_before_it_is_sent(
    stage: Stage, key: str, end: tuple[str, str | None]
) -> None:
    job = stage.job(key, dies=True)

    stage.deal(job)

    assert await stage.ended(job) == [end]
    assert stage.recorder.ends[job.seq].ending.result == ("42" if key == "answer" else None)


async def test_the_spare_takes_the_place_of_a_dead_executor_at_once(stage: Stage) -> None:
    job = stage.job("long", signs=True)
    stage.deal(job)
    await stage.signed(job)
    (spare,) = set(children(EXECUTOR)) - set(job.pids)

    os.kill(job.pids[0], signal.SIGKILL)
    await stage.ended(job)
    again = stage.job("long", signs=True)
    stage.deal(again)
    await stage.signed(again)

    assert again.pids == [spare]
    assert stage.recorder.heard("executor_replaced")[-1] == {"pid": spare}
    stage.fleet.stop({again.seq: "cancel"})
    await until(lambda: len(children(EXECUTOR)) == 2)


async def test_a_job_that_kills_its_process_is_lost_with_the_signal_when_it_is_alone(stage: Stage) -> None:
    neighbours = [stage.job("long", signs=True) for _ in range(3)]
    crash, leave = stage.job("crash"), stage.job("leave")
    stage.deal(*neighbours)
    await stage.signed(*neighbours)

    stage.deal(alone=[crash, leave])

    assert await stage.ended(crash, leave) == [("lost", "worker_crash")] * 2
    assert "SIGSEGV" in (stage.recorder.ends[crash.seq].ending.error or "")
    assert stage.recorder.ends[leave.seq].ending.exit_code == 0
    assert stage.fleet.find_begun() == {job.seq for job in neighbours}
    stage.fleet.stop({job.seq: "cancel" for job in neighbours})


async def test_a_lone_job_over_its_timeout_is_killed_with_its_process(stage: Stage) -> None:
    job = stage.job("hold-the-gil", signs=True, timeout=1)

    stage.deal(alone=[job])

    assert await stage.ended(job) == [("timeout", "stuck")]
    assert stage.recorder.ends[job.seq].ending.error == "Job exceeded its timeout of 1 s."
    assert not is_alive(job.pids[0])


async def test_a_lone_job_is_killed_when_its_lease_is_gone_and_nothing_is_said(stage: Stage) -> None:
    job = stage.job("hold-the-gil", signs=True)
    stage.deal(alone=[job])
    await stage.signed(job)

    stage.fleet.stop({job.seq: "gone"})
    await until(lambda: not is_alive(job.pids[0]))
    await stage.recorder.until(lambda: not stage.fleet.list_held())

    assert job.seq not in stage.recorder.ends


async def test_the_children_of_a_handler_die_with_its_executor(stage: Stage) -> None:
    job = stage.job("with-a-child", signs=True)
    stage.deal(job)
    await stage.signed(job)
    executor, child = job.pids

    os.kill(executor, signal.SIGKILL)
    await stage.ended(job)

    await until(lambda: not is_alive(child))


async def test_an_answer_that_is_too_old_is_not_started(stage: Stage) -> None:
    job = stage.job("noop")

    returned = stage.deal(job, asked_at=0.0)

    assert returned == [job.lease]
    assert stage.fleet.list_held() == []


async def test_a_job_is_not_run_here_while_its_last_attempt_is(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lease is gone, the handler does not listen; nothing it says is under the attempt that came after it."""
    monkeypatch.setattr(listening, "GONE_SECONDS", 60)  # longer than the test
    job = stage.job("mumble", signs=True)
    again = job.again()
    stage.deal(job)
    await stage.signed(job)
    stage.fleet.stop({job.seq: "gone"})
    after = stage.job("noop")
    stage.deal(after)
    await stage.ended(after)  # so its process has heard it

    for pause in (1.0, 2.0, 4.0):
        assert stage.deal(again) == []
        assert await stage.ended(again) == [("released", "unstarted")]
        end = stage.recorder.ends.pop(job.seq)
        assert (end.lease, end.ending.retry_after) == (again.lease, pause)
    job.end()
    await stage.recorder.until(lambda: not stage.fleet.list_held())

    assert [line for line in stage.recorder.lines if line.lease.seq == job.seq] == []
    stage.deal(again)
    assert await stage.ended(again) == [("succeeded", None)]
    assert [line.lease for line in stage.recorder.lines if line.lease.seq == job.seq] == [again.lease]


async def test_a_lone_job_does_not_pay_for_a_spare_that_was_dead_before(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "CAUTIOUS_SECONDS", 0.0)
    neighbour, suspect = stage.job("long", signs=True), stage.job("long-alone", signs=True)
    stage.deal(neighbour)
    await stage.signed(neighbour)
    (spare,) = set(children(EXECUTOR)) - set(neighbour.pids)

    os.kill(spare, signal.SIGKILL)
    stage.deal(alone=[suspect])

    assert await stage.ended(suspect) == [("released", "unstarted")]
    stage.fleet.stop({neighbour.seq: "cancel"})


async def test_every_process_is_told_the_slugs_of_tenants_also_one_that_starts_later(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    slugs: dict[str, str] = {}
    async with staged(tmp_path, processes=1, find_slugs=lambda: slugs, log_format="json") as stage:
        slugs[str(UUID(int=7))] = "acme"
        stage.fleet.name_tenants(slugs)
        early, death = stage.job("last-words-kept", count=1), stage.job("last-words", stored=0, lost=0)
        stage.deal(early)
        await stage.ended(early)
        stage.deal(death)
        await stage.ended(death)
        await stage.recorder.until(lambda: len(stage.recorder.heard("executor_started")) == 3)
        late = stage.job("last-words-kept", count=1)
        stage.deal(late)
        await stage.ended(late)

    told = [json.loads(line) for line in capfd.readouterr().err.splitlines() if line.startswith("{")]
    assert [line["tenant"] for line in told if line["message"] == "kept"] == ["acme", "acme"]
