"""How many processes there are, and which of them are replaced."""

import asyncio
from pathlib import Path

import pytest

from jobplane.core.errors import WorkerFailed
from jobplane.worker.claim_records import ClaimRecords
from jobplane.worker.fleet import Fleet, lone, pool, quotas
from tests.worker.fleet.stage import EXECUTOR, ROOT, Recorder, children, staged, until
from tests.worker.settings import settings

pytestmark = pytest.mark.anyio


async def test_a_module_that_cannot_be_imported_fails_the_start(tmp_path: Path) -> None:
    told = settings(worker_imports=["tests.worker.fleet.no_such_module"], sys_path=str(ROOT))

    with pytest.raises(WorkerFailed, match="no_such_module"):
        await Fleet(told, Recorder(), ClaimRecords()).start()

    assert children(EXECUTOR) == []


async def test_a_module_whose_import_does_not_end_fails_the_start(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text("import time\n\ntime.sleep(600)\n")
    told = settings(worker_imports=["endless"], sys_path=str(tmp_path), own={"startup_seconds": 2})

    with pytest.raises(WorkerFailed, match=r"Imports and startup hooks did not finish within 2 s\."):
        await Fleet(told, Recorder(), ClaimRecords()).start()

    assert children(EXECUTOR) == []


async def test_lone_processes_are_bounded_and_each_job_has_its_own(tmp_path: Path) -> None:
    async with staged(tmp_path, alone_limit=2) as stage:
        jobs = [stage.job("long-alone", signs=True, seconds=0.3) for _ in range(4)]
        most = 0

        def counted() -> bool:
            nonlocal most
            most = max(most, len(children(EXECUTOR)))
            return len(stage.recorder.ends) == 4

        stage.deal(alone=jobs)
        await until(counted)

        assert set(await stage.ended(*jobs)) == {("succeeded", None)}
        assert most <= 1 + 1 + 2, "one executor, one spare, two alone"
        assert len({job.pids[0] for job in jobs}) == 4


async def test_an_executor_in_which_a_handler_runs_past_its_timeout_is_replaced(tmp_path: Path) -> None:
    async with staged(tmp_path, slots=4) as stage:
        await stage.recorder.until(lambda: len(stage.recorder.heard("executor_started")) == 2)
        stuck, neighbour = stage.job("deaf", signs=True, timeout=1), stage.job("mumble", signs=True)
        stage.deal(stuck, neighbour)
        await stage.signed(stuck, neighbour)
        await stage.recorder.until(lambda: stage.recorder.heard("executor_retired"))

        meanwhile = stage.job("long", signs=True, seconds=0)
        assert stage.deal(meanwhile) == []
        await stage.ended(meanwhile)

        assert meanwhile.pids != stuck.pids
        assert stuck.seq not in stage.recorder.ends, "it has not ended"
        neighbour.end()
        assert await stage.ended(neighbour, stuck) == [("succeeded", None), ("timeout", "stuck")]
        assert stage.recorder.ends[stuck.seq].ending.error == "Job exceeded its timeout of 1 s."
        (retired,) = stage.recorder.heard("executor_retired")
        assert (retired["overdue"], retired["job_ids"]) == (1, [stuck.job_id])


async def test_neighbours_of_a_handler_that_does_not_stop_have_the_grace_time(tmp_path: Path) -> None:
    async with staged(tmp_path, slots=2, grace_seconds=0.5) as stage:
        stuck, neighbour = stage.job("deaf", signs=True, timeout=1), stage.job("mumble", signs=True)
        waiting = [stage.job("noop") for _ in range(3)]
        stage.deal(stuck, neighbour, *waiting)

        assert await stage.ended(stuck, neighbour) == [("timeout", "stuck"), ("released", "neighbour")]
        assert set(await stage.ended(*waiting)) == {("released", "unstarted")}


async def test_a_handler_that_blocks_the_event_loop_past_its_timeout_pays_and_its_neighbours_do_not(
    tmp_path: Path,
) -> None:
    async with staged(tmp_path) as stage:
        neighbour, block = stage.job("long", signs=True, timeout=60), stage.job("block", signs=True, timeout=1)
        stage.deal(neighbour)
        await stage.signed(neighbour)
        stage.deal(block)

        assert await stage.ended(block, neighbour) == [("timeout", "stuck"), ("released", "neighbour")]
        assert stage.recorder.ends[block.seq].ending.error == "Job exceeded its timeout of 1 s."


async def test_one_whose_neighbour_blocks_the_event_loop_does_not_pay_for_its_timeout(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        neighbour, block = stage.job("long", signs=True, timeout=2), stage.job("block", signs=True)
        stage.deal(neighbour)
        await stage.signed(neighbour)
        stage.deal(block)

        assert await stage.ended(block, neighbour) == [("released", "suspect")] * 2


async def test_only_a_few_executors_retire_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "RETIRED", 1)
    async with staged(tmp_path, slots=3, processes=2) as stage:
        stuck = [stage.job("deaf", signs=True, timeout=1) for _ in range(2)]
        neighbours = [stage.job("mumble", signs=True) for _ in range(2)]
        await stage.recorder.until(lambda: stage.fleet.room() >= 6)
        stage.deal(stuck[0], neighbours[0], stuck[1], neighbours[1])
        await stage.signed(*stuck, *neighbours)
        assert len({job.pids[0] for job in stuck}) == 2
        await stage.recorder.until(lambda: stage.recorder.heard("executor_retired"))

        first = next(job for job in stuck if job.pids[0] == stage.recorder.heard("executor_retired")[0]["pid"])
        for job in neighbours:
            job.end()
        assert await stage.ended(*stuck) == [("timeout", "stuck")] * 2
        assert stage.recorder.heard("executor_retired")[0]["job_ids"] == [first.job_id]
        assert await stage.ended(*neighbours) == [("succeeded", None)] * 2


async def test_one_that_was_replaced_leaves_by_itself_when_all_in_it_has_ended(tmp_path: Path) -> None:
    async with staged(tmp_path, slots=2, grace_seconds=3) as stage:
        await stage.recorder.until(lambda: len(stage.recorder.heard("executor_started")) == 2)
        slow, neighbour = stage.job("stubborn", signs=True, timeout=1), stage.job("mumble", signs=True)
        stage.deal(slow, neighbour)
        await stage.signed(slow, neighbour)
        await stage.recorder.until(lambda: stage.recorder.heard("executor_retired"))

        slow.end()
        assert await stage.ended(slow) == [("timeout", "stuck")], "it runs alone the next time"
        await asyncio.sleep(3.5)  # longer than the grace time, which was for the handler that has ended
        neighbour.end()
        assert await stage.ended(neighbour) == [("succeeded", None)]

        await stage.recorder.until(lambda: stage.recorder.heard("executor_ended"))
        assert [fact["how"] for fact in stage.recorder.heard("executor_ended")] == ["exit code 0"]
        assert not stage.recorder.heard("executor_died")


async def test_a_lone_job_goes_back_where_no_process_can_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lone, "PATIENCE_SECONDS", 0.5)
    async with staged(tmp_path) as stage:
        await stage.recorder.until(lambda: len(stage.recorder.heard("executor_started")) == 2)
        monkeypatch.setenv("FLEET_APP_IS_BROKEN", "1")
        with_the_spare, without = (stage.job("long-alone", signs=True) for _ in range(2))
        stage.deal(alone=[with_the_spare, without])

        assert await stage.ended(without) == [("released", "unstarted")]
        assert stage.fleet.list_held() == [with_the_spare.lease]


async def test_what_waits_to_run_alone_leaves_the_slots_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "FIRST_SECONDS", 2.0)
    async with staged(tmp_path, slots=2, alone_limit=1) as stage:
        jobs = [stage.job("long-alone", signs=True) for _ in range(6)]
        assert stage.deal(alone=jobs) == []

        assert set(stage.recorder.said(*(job.seq for job in jobs[2:]))) == {("released", "unstarted")}
        assert stage.recorder.heard("alone_given_back") == [{"jobs": 4, "running": 1}]
        assert stage.fleet.room() == 2, "another queue may have what can run"
        assert stage.fleet.quota("another") > 500
        assert stage.fleet.quota("default") == 0, "a claim would bring more of the same"
        await until(lambda: stage.fleet.quota("default"))
        assert stage.fleet.quota("default") == 2
        other = stage.job("noop")
        stage.deal(other)

        assert stage.fleet.quota("default") > 500, "others do stand behind them"
        assert await stage.ended(other) == [("succeeded", None)]


async def test_from_a_queue_of_jobs_that_run_alone_no_more_is_claimed_than_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lone, "PATIENCE_SECONDS", 60.0)
    async with staged(tmp_path, slots=2, alone_limit=2) as stage:
        assert stage.fleet.quota("heavy") == 4, "two to run, and two to follow"
        first = [stage.job("heavy", signs=True) for _ in range(3)]
        stage.deal(alone=first, queue="heavy")

        assert stage.fleet.quota("heavy") == 1
        last = stage.job("heavy", signs=True)
        stage.deal(alone=[last], queue="heavy")
        await stage.signed(*first[:2])

        assert stage.fleet.quota("heavy") == 0
        stage.fleet.stop({first[0].seq: "cancel"})
        await stage.signed(first[2])
        assert stage.fleet.quota("heavy") == 1
        assert set(stage.recorder.ends) == {first[0].seq}


async def test_none_follow_those_that_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lone, "PATIENCE_SECONDS", 1.0)
    async with staged(tmp_path, alone_limit=1) as stage:
        running, waiting = (stage.job("heavy", signs=True) for _ in range(2))
        stage.deal(alone=[running], queue="heavy")
        await stage.signed(running)
        stage.deal(alone=[waiting], queue="heavy")

        assert await stage.ended(waiting) == [("released", "unstarted")]
        assert stage.fleet.quota("heavy") == 0
        stage.fleet.stop({running.seq: "cancel"})
        await stage.ended(running)
        await until(lambda: stage.fleet.quota("heavy"))
        assert stage.fleet.quota("heavy") == 1
