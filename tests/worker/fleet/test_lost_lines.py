"""What the log of a job says of lines that died with its process."""

from pathlib import Path

import pytest

from tests.worker.fleet.stage import Stage, staged

pytestmark = pytest.mark.anyio


def lines(stage: Stage, seq: int) -> list[tuple[int, str, object]]:
    return [(line.line, line.message, line.fields) for line in stage.recorder.lines if line.lease.seq == seq]


async def test_lines_that_died_with_their_process_are_counted_behind_those_that_came(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        job = stage.job("last-words", stored=2, lost=7)
        stage.deal(job)

        assert await stage.ended(job) == [("released", "suspect")]

        *came, mark = lines(stage, job.seq)
        assert [(number, message) for number, message, _ in came] == [(1, "stored"), (2, "stored")]
        assert mark == (3, "7 lines dropped: the process ended", {"lines_dropped": 7})


async def test_lines_of_a_job_that_returned_are_counted_too(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        job = stage.job("return-and-die", lines=3)
        stage.deal(job)

        assert await stage.ended(job) == [("succeeded", None)]

        assert lines(stage, job.seq) == [(1, "3 lines dropped: the process ended", {"lines_dropped": 3})]


async def test_no_line_is_missed_of_one_that_said_nothing_where_another_had_spoken(tmp_path: Path) -> None:
    async with staged(tmp_path, slots=1) as stage:
        talks, dies = stage.job("last-words-kept", count=3), stage.job("last-words", stored=0, lost=0)
        stage.deal(talks)
        await stage.ended(talks)
        stage.deal(dies)

        assert await stage.ended(dies) == [("released", "suspect")]

        assert len(lines(stage, talks.seq)) == 3
        assert lines(stage, dies.seq) == []
