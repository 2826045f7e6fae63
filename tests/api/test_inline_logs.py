"""What handlers say in run_once and drain is in the logs of their jobs, as it is with a worker."""

# ruff: noqa: T201

from __future__ import annotations

import asyncio
import logging
import sys
import threading

import pytest

from jobplane import Context, Jobplane, JobStatus, LogLine

SAID = [
    ("info", "begun", {"count": 3}),
    ("warning", "order 7 has no address", {"logger": "orders"}),
    ("info", "printed", None),
    ("warning", "to stderr", None),
    ("info", "no end", None),
]
log = logging.getLogger("orders")


def talk(ctx: Context) -> None:
    ctx.log.info("begun", count=3)
    ctx.log.debug("not asked for")
    log.warning("order %d has no address", 7)
    print("prin", end="")
    print("ted")
    print("to stderr", file=sys.stderr)
    print("no end", end="")


def shown(lines: list[LogLine]) -> list[tuple[str, str, object]]:
    assert [line.line for line in lines] == list(range(1, len(lines) + 1))
    return [(line.level, line.message, line.fields) for line in lines]


def test_all_ways_to_say_something_are_in_the_log(jp: Jobplane, capsys: pytest.CaptureFixture[str]) -> None:
    talks = jp.job("talk")(talk)
    jp.sync()
    job = talks.enqueue()
    streams = sys.stdout, sys.stderr

    jp.drain()

    assert shown(list(jp.logs(job))) == SAID
    assert capsys.readouterr() == ("printed\nno end", "to stderr\n")
    assert (sys.stdout, sys.stderr) == streams


async def test_on_the_loop_for_both_kinds_of_handlers(on_loop: Jobplane) -> None:
    @on_loop.job("talk-async")
    async def talk_async(ctx: Context) -> None:
        talk(ctx)
        await ctx.progress(0.5, "half")

    talks = on_loop.job("talk")(talk)
    await on_loop.sync_async()
    jobs = [await talks.enqueue_async(), await talk_async.enqueue_async()]

    await on_loop.drain_async()

    for job in jobs:
        assert shown([line async for line in on_loop.logs_async(job)]) == SAID


async def test_a_def_handler_whose_run_is_canceled_keeps_its_last_words(on_loop: Jobplane) -> None:
    begun, may_end = threading.Event(), threading.Event()

    @on_loop.job("slow")
    def slow(ctx: Context) -> None:
        begun.set()
        may_end.wait(20)
        ctx.log.info("to the end")

    await on_loop.sync_async()
    job = await slow.enqueue_async()
    running = asyncio.create_task(on_loop.drain_async())
    await asyncio.to_thread(begun.wait, 20)
    running.cancel()
    asyncio.get_running_loop().call_soon(may_end.set)
    with pytest.raises(asyncio.CancelledError):
        await running

    assert (await on_loop.get_async(job)).status is JobStatus.SUCCEEDED
    assert [line.message async for line in on_loop.logs_async(job)] == ["to the end"]


@pytest.mark.parametrize("waits", [False, True])
def test_each_attempt_has_its_lines_and_the_failed_one_too(jp: Jobplane, *, waits: bool) -> None:
    def fail(ctx: Context) -> None:
        print("attempt", ctx.attempt)
        try:
            raise ValueError("bad")
        except ValueError:
            ctx.log.exception("caught")
        raise RuntimeError

    async def fail_async(ctx: Context) -> None:
        fail(ctx)

    fails = jp.job("fail", max_attempts=1)(fail_async if waits else fail)
    jp.sync()
    job = fails.enqueue()

    jp.drain()
    jp.retry(job)
    jp.drain()

    lines = list(jp.logs(job))
    assert [(line.attempt_no, line.line, line.message.splitlines()[0]) for line in lines] == [
        (1, 1, "attempt 1"),
        (1, 2, "caught"),
        (2, 1, "attempt 2"),
        (2, 2, "caught"),
    ]
    assert "ValueError: bad" in lines[1].message


def test_a_log_is_there_while_the_job_runs(jp: Jobplane) -> None:
    """Nobody who follows a long job waits for its end."""
    seen = threading.Event()

    @jp.job("long")
    def long(ctx: Context) -> str:
        ctx.progress(0.25, "a quarter")
        ctx.log.info("first")
        return "seen" if seen.wait(20) else "missed"

    jp.sync()
    job = long.enqueue()

    said: list[tuple[float | None, str | None]] = []

    def follow() -> None:
        for _ in jp.logs(job, follow=True):
            running = jp.get(job)
            said.append((running.progress, running.progress_message))
            seen.set()

    reader = threading.Thread(target=follow)
    reader.start()
    jp.drain()
    reader.join(20)

    assert jp.get(job).result == "seen"
    assert said == [(0.25, "a quarter")]


def test_a_flood_keeps_its_first_and_its_last_lines_and_marks_the_gap(jp: Jobplane) -> None:
    @jp.job("chatter", max_attempts=1)
    def chatter(ctx: Context) -> None:
        for number in range(1000):
            ctx.log.info("x" * 1000, number=number, odd={"\x00": object, "\ud800": 2**70})
        raise ValueError("after the flood")

    jp.sync()
    job = chatter.enqueue()

    jp.drain()

    lines = list(jp.logs(job))
    numbers = [line.fields.get("number") for line in lines if line.fields]
    place = numbers.index(None)
    dropped = 1000 - len(lines) + 1
    assert (lines[place].message, lines[place].fields) == (f"… {dropped} lines dropped …", {"lines_dropped": dropped})
    assert numbers == [*range(place), None, *range(place + dropped, 1000)]
    assert place > 100
    assert 20 < len(lines) - place < 200
    shown(lines)


def test_a_large_value_is_cut_and_the_small_fields_stay(jp: Jobplane) -> None:
    @jp.job("large")
    def large(ctx: Context) -> None:
        ctx.log.info("m" * 1_000_000, order=7, body="b" * 50_000, rows=[0] * 2000)

    jp.sync()
    job = large.enqueue()

    jp.drain()

    [line] = jp.logs(job)
    assert line.message.endswith("… [983656 bytes cut]")
    assert line.fields is not None
    assert (line.fields["order"], set(line.fields)) == (7, {"order", "body", "rows"})
    assert str(line.fields["body"]).endswith(" of 50000 bytes cut]")
    assert str(line.fields["rows"]).startswith("[0,0,0")


def test_a_program_without_handlers_of_its_own_still_sees_its_warnings(
    jp: Jobplane, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])
    talks = jp.job("talk")(talk)
    jp.sync()
    job = talks.enqueue()

    jp.drain()

    assert "order 7 has no address\n" in capsys.readouterr().err
    assert shown(list(jp.logs(job))) == SAID
    assert logging.root.handlers == []
