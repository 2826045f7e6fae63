"""Executors that do not listen: left alone as long as nothing in them has to stop."""

import os
import signal
from pathlib import Path
from uuid import UUID

import pytest

from jobplane.core.leases import Lease
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet import listening
from jobplane.worker.fleet.holdings import Holdings
from jobplane.worker.fleet.listening import DEAF_SECONDS, Listening
from jobplane.worker.fleet.pace import Pace
from jobplane.worker.watchdog import boot_time
from tests.worker.fleet.stage import EXECUTOR, Recorder, children, is_alive, staged, until

in_a_hurry = pytest.mark.usefixtures("hurry")


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second and a half instead of ten."""
    monkeypatch.setattr(listening, "DEAF_SECONDS", 1.5)
    monkeypatch.setattr(listening, "STOP_SECONDS", 0.5)


@in_a_hurry
@pytest.mark.anyio
@pytest.mark.parametrize("key", ["block", "hold-the-gil"])
async def test_a_handler_that_keeps_its_process_from_listening_can_be_canceled(tmp_path: Path, key: str) -> None:
    async with staged(tmp_path) as stage:
        neighbour, blocker = stage.job("long", signs=True), stage.job(key, signs=True)
        stage.deal(neighbour)
        await stage.signed(neighbour)
        stage.deal(blocker)
        await stage.signed(blocker)

        stage.fleet.stop({blocker.seq: "cancel"})

        assert await stage.ended(blocker, neighbour) == [("canceled", None), ("released", "suspect")]
        assert not is_alive(blocker.pids[0])
        (deaf,) = stage.recorder.heard("executor_deaf")
        assert deaf == {"pid": blocker.pids[0], "jobs": 2, "job_ids": [neighbour.job_id, blocker.job_id]}
        (died,) = stage.recorder.heard("executor_died")
        assert died["cause"] == "deaf"


@in_a_hurry
@pytest.mark.anyio
async def test_a_neighbour_of_a_handler_that_holds_the_gil_can_be_canceled(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        neighbour, holder = stage.job("long", signs=True), stage.job("hold-the-gil", signs=True)
        stage.deal(neighbour)
        await stage.signed(neighbour)
        stage.deal(holder)
        await stage.signed(holder)

        stage.fleet.stop({neighbour.seq: "cancel"})

        assert await stage.ended(neighbour, holder) == [("canceled", None), ("released", "suspect")]


@in_a_hurry
@pytest.mark.anyio
@pytest.mark.parametrize(("own", "neighbours"), [(2, None), (None, 2)], ids=["its own", "its neighbour's"])
async def test_a_timeout_holds_beside_a_handler_that_holds_the_gil(
    tmp_path: Path, own: int | None, neighbours: int | None
) -> None:
    async with staged(tmp_path) as stage:
        neighbour = stage.job("long", signs=True, timeout=neighbours)
        holder = stage.job("hold-the-gil", signs=True, timeout=own)
        began_at = boot_time()
        stage.deal(neighbour)
        await stage.signed(neighbour)
        stage.deal(holder)

        assert set(await stage.ended(neighbour, holder)) == {("released", "suspect")}, "nobody knows who it was"
        assert 2 < boot_time() - began_at < 45


@in_a_hurry
@pytest.mark.anyio
async def test_the_only_handler_of_a_process_that_does_not_listen_pays_for_its_own_timeout(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        holder = stage.job("hold-the-gil", signs=True, timeout=1)
        stage.deal(holder)

        assert await stage.ended(holder) == [("timeout", "stuck")]


@in_a_hurry
@pytest.mark.anyio
async def test_one_that_holds_the_gil_is_left_alone_and_gets_no_more_jobs(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        neighbour = stage.job("long", signs=True, seconds=2, timeout=60)
        holder = stage.job("hold-the-gil", signs=True, seconds=5)
        stage.deal(neighbour)
        await stage.signed(neighbour)
        stage.deal(holder)

        await stage.recorder.until(lambda: stage.recorder.heard("executor_deaf"))
        assert stage.fleet.room() == 0

        assert await stage.ended(holder, neighbour) == [("succeeded", None)] * 2
        await stage.recorder.until(lambda: stage.recorder.heard("executor_listens"))
        assert stage.fleet.room() >= 4


@in_a_hurry
@pytest.mark.anyio
async def test_one_that_is_stopped_before_anything_has_begun_is_replaced(tmp_path: Path) -> None:
    async with staged(tmp_path, slots=2, prefetch=0) as stage:
        first = stage.job("long", signs=True, seconds=0)
        stage.deal(first)
        await stage.ended(first)
        await stage.recorder.until(lambda: len(stage.recorder.heard("executor_started")) == 2)
        os.kill(first.pids[0], signal.SIGSTOP)
        jobs = [stage.job("noop") for _ in range(2)]
        stage.deal(*jobs)

        assert await stage.ended(*jobs) == [("released", "unstarted")] * 2
        again = stage.job("noop")
        stage.deal(again)
        assert await stage.ended(again) == [("succeeded", None)]


@in_a_hurry
@pytest.mark.anyio
async def test_one_that_is_stopped_with_a_canceled_job_in_it_is_killed(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        job = stage.job("long", signs=True)
        stage.deal(job)
        await stage.signed(job)
        os.kill(job.pids[0], signal.SIGSTOP)

        stage.fleet.stop({job.seq: "cancel"})

        assert await stage.ended(job) == [("canceled", None)]
        await until(lambda: job.pids[0] not in children(EXECUTOR))


@pytest.mark.anyio
@pytest.mark.parametrize("key", ["deaf", "hold-the-gil"])
async def test_who_does_not_stop_when_its_lease_is_gone_ends_with_its_process(tmp_path: Path, key: str) -> None:
    """Its next attempt may have begun: no neighbour pays, but they have to begin again."""
    async with staged(tmp_path) as stage:
        neighbour, job = stage.job("long", signs=True), stage.job(key, signs=True)
        stage.deal(neighbour)
        await stage.signed(neighbour)
        stage.deal(job)
        await stage.signed(job)

        stage.fleet.stop({job.seq: "gone"})
        await until(lambda: not is_alive(job.pids[0]))

        assert await stage.ended(neighbour) == [("released", "neighbour")]
        assert job.seq not in stage.recorder.ends
        assert stage.recorder.heard("executor_died")[0]["cause"] == "gone"


def test_while_the_supervisor_was_stopped_itself_nobody_was_waited_for() -> None:
    holdings = Holdings(Recorder(), Pace(4, 0), lambda: None)
    holdings.leases[1] = Lease(1, 1, UUID(int=1))
    looks = Listening(holdings, ClaimRecords())
    assert [looks.look(now, set()) for now in (100.0, 100.5, 101.0)] == [False, False, True]
    holdings.is_asked = True

    looks.look(101 + 10 * DEAF_SECONDS, set())

    assert looks.is_late
    assert not looks.is_deaf
