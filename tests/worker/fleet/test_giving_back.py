"""What has not started goes back: when jobs take longer, and when the worker stops."""

import os
from pathlib import Path

import pytest

from tests.worker.fleet.stage import children, staged, until

pytestmark = pytest.mark.anyio


async def test_the_buffer_goes_back_when_long_jobs_follow_short_ones(tmp_path: Path) -> None:
    async with staged(tmp_path, slots=2, prefetch=30) as stage:
        assert stage.fleet.room() == 2
        while stage.fleet.room() < 32:  # on a machine that hesitates they are not short at first
            short = [stage.job("noop") for _ in range(20)]
            stage.deal(*short)
            await stage.ended(*short)

        long = [stage.job("long", signs=True) for _ in range(32)]
        stage.deal(*long)
        await stage.ended(*long[2:])

        assert set(stage.recorder.said(*(job.seq for job in long[2:]))) == {("released", "unstarted")}
        assert stage.fleet.find_begun() == {long[0].seq, long[1].seq}
        assert stage.fleet.room() == 0


async def test_a_stop_takes_back_what_waits_and_lets_the_rest_finish(tmp_path: Path) -> None:
    async with staged(tmp_path, slots=2, alone_limit=1) as stage:
        running = [stage.job("mumble", signs=True) for _ in range(2)]
        waiting = [stage.job("noop") for _ in range(3)]
        lone = [stage.job("mumble", signs=True) for _ in range(2)]
        stage.deal(*running, *waiting, alone=lone)
        await stage.signed(*running, lone[0])

        stage.fleet.take_back_all()

        assert stage.fleet.room() == 0
        assert stage.deal(late := stage.job("noop")) == [late.lease]
        assert set(await stage.ended(*waiting, lone[1])) == {("released", "unstarted")}
        for job in (*running, lone[0]):
            job.end()
        assert await stage.fleet.drain(60)
        assert set(stage.recorder.said(*(job.seq for job in (*running, lone[0])))) == {("succeeded", None)}


async def test_what_does_not_stop_in_time_is_killed_and_released(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        deaf, listening = stage.job("deaf", signs=True), stage.job("long", signs=True)
        lone = stage.job("hold-the-gil", signs=True)
        stage.deal(deaf, listening, alone=[lone])
        await stage.signed(deaf, listening, lone)
        stage.fleet.take_back_all()
        assert not await stage.fleet.drain(0.1)

        stage.fleet.stop({job.seq: "shutdown" for job in (deaf, listening, lone)})
        assert await stage.ended(listening) == [("released", "shutdown")]
        await stage.fleet.close()

        assert stage.recorder.said(deaf.seq, lone.seq) == [("released", "shutdown")] * 2
        assert children("") == []


async def test_a_canceled_job_that_waits_to_run_alone_ends_at_once(tmp_path: Path) -> None:
    async with staged(tmp_path, alone_limit=1) as stage:
        first, second = (stage.job("long-alone", signs=True) for _ in range(2))
        stage.deal(alone=[first, second])
        await stage.signed(first)

        stage.fleet.stop({first.seq: "cancel", second.seq: "cancel"})

        assert await stage.ended(second, first) == [("canceled", None)] * 2


async def test_orphans_of_handlers_are_buried_by_who_adopts_them(tmp_path: Path) -> None:
    import ctypes

    prctl = ctypes.CDLL(None).prctl
    prctl(36, 1, 0, 0, 0)
    try:
        async with staged(tmp_path) as stage:
            job = stage.job("orphan", signs=True)
            stage.deal(job)
            await stage.ended(job)

            await until(lambda: not Path(f"/proc/{job.pids[1]}").exists())
    finally:
        prctl(36, 0, 0, 0, 0)
    assert os.getpid() != 1
