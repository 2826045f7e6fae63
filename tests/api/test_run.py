from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Generator
from contextlib import suppress
from datetime import timedelta
from uuid import UUID

import pytest

from jobplane import Canceled, Context, Fail, Invalid, Jobplane, JobStatus, Retry, Snooze
from jobplane.core.model import Json, NewWorker
from jobplane.store.verbs.engine import RegisterWorker

S = JobStatus


def test_a_due_job_runs_and_its_result_is_there(jp: Jobplane) -> None:
    @jp.job("add")
    def add(a: int, b: int = 2) -> int:
        return a + b

    jp.sync()
    handle = add.enqueue(a=1)

    assert (jp.run_once(), jp.run_once()) == (1, 0)
    assert (jp.get(handle).status, jp.result(handle)) == (S.SUCCEEDED, 3)
    assert jp.wait(handle, timeout=0).status is S.SUCCEEDED


def test_a_job_that_has_run_shows_who_ran_it_and_that_it_is_done(jp: Jobplane) -> None:
    workers: list[str] = []

    @jp.job("half")
    def half(ctx: Context) -> None:
        workers.append(ctx.worker)
        ctx.progress(0.5)

    jp.sync()
    handle = half.enqueue()
    jp.drain()

    job = jp.get(handle)
    assert ([job.worker_id], job.progress) == (workers, 1)
    assert (job.queued_at, job.canceled_at) == (job.created_at, None)


def test_an_async_handler_runs_without_a_loop(jp: Jobplane) -> None:
    @jp.job("slow-add")
    async def add(ctx: Context, a: int) -> int:
        await asyncio.sleep(0)
        await ctx.progress(0.5)
        await ctx.checkpoint()
        return a + ctx.attempt

    jp.sync()
    handle = add.enqueue(a=1)

    assert jp.drain() == 1
    assert jp.result(handle) == 2


async def test_both_kinds_of_handler_run_beside_a_loop(on_loop: Jobplane) -> None:
    jp = on_loop

    @jp.job("blocking")
    def blocking(ctx: Context) -> int:
        ctx.progress(0.5)
        ctx.checkpoint()
        return ctx.attempt

    @jp.job("awaiting")
    async def awaiting(ctx: Context) -> int:
        await ctx.progress(0.5)
        await ctx.checkpoint()
        return ctx.attempt

    await jp.sync_async()
    handles = [await blocking.enqueue_async(), await awaiting.enqueue_async()]

    assert await jp.drain_async() == 2
    assert [await jp.result_async(handle) for handle in handles] == [1, 1]
    assert (await jp.wait_async(handles[0], timeout=0)).status is S.SUCCEEDED
    assert await jp.run_once_async() == 0


def test_the_context_says_what_the_job_is(jp: Jobplane) -> None:
    seen: list[Context] = []

    @jp.job("look", timeout_seconds=60)
    def look(ctx: Context) -> None:
        seen.append(ctx)

    jp.sync()
    handle = look.options(correlation_id="c", trace_context="t", source_ref="r", priority=7).enqueue()
    jp.drain()

    [ctx] = seen
    assert (ctx.job.id, ctx.job.key, ctx.attempt, ctx.attempts_left) == (handle.id, "look", 1, 2)
    assert (ctx.tenant_id, ctx.correlation_id, ctx.trace_context) == (handle.tenant_id, "c", "t")
    assert (ctx.job.source_ref, ctx.priority, ctx.is_canceled) == ("r", 7, False)
    assert ctx.deadline is not None
    assert ctx.scheduled_for == jp.get(handle).scheduled_for
    assert abs(ctx.queued_at - jp.get(handle).created_at) < timedelta(minutes=1)


def test_a_job_with_an_id_that_does_not_tell_the_time_was_enqueued_when_it_was_due(jp: Jobplane) -> None:
    seen: list[Context] = []

    @jp.job("look")
    def look(ctx: Context) -> None:
        seen.append(ctx)

    jp.sync()
    handle = look.options(id=UUID(int=-1 % 2**128)).enqueue()
    jp.drain()

    assert [ctx.queued_at for ctx in seen] == [jp.get(handle).scheduled_for]


def test_a_failed_attempt_comes_back_until_the_budget_is_spent(jp: Jobplane) -> None:
    @jp.job("break", max_attempts=2)
    def broken() -> None:
        raise Retry("again", after=0)

    jp.sync()
    handle = broken.enqueue()

    assert jp.drain() == 2
    job = jp.get(handle)
    assert (job.status, job.error, job.attempts) == (S.DEAD_LETTER, "again", 2)


def test_an_exception_fails_the_attempt_with_its_traceback(jp: Jobplane) -> None:
    @jp.job("divide", max_attempts=1)
    def divide(a: int) -> float:
        return 1 / a

    jp.sync()
    handle = divide.enqueue(a=0)
    jp.drain()

    job = jp.get(handle)
    assert job.status is S.DEAD_LETTER
    assert job.error is not None
    assert job.error.rstrip().endswith("ZeroDivisionError: division by zero")
    assert "return 1 / a" in job.error
    assert "jobplane/api" not in job.error


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


@pytest.mark.parametrize("error", [Unspeakable(), SystemExit(3), ValueError("\x00\ud800"), asyncio.CancelledError()])
@pytest.mark.parametrize("awaits", [False, True])
def test_no_exception_of_a_handler_gets_out(jp: Jobplane, error: BaseException, awaits: bool) -> None:
    @jp.job("speak", max_attempts=1)
    def speak() -> None:
        raise error

    @jp.job("speak-later", max_attempts=1)
    async def speak_later() -> None:
        raise error

    jp.sync()
    handle = (speak_later if awaits else speak).enqueue()
    jp.drain()

    job = jp.get(handle)
    assert job.status is S.DEAD_LETTER
    assert type(error).__name__ in str(job.error)


def test_a_snooze_costs_nothing_and_a_fail_ends_it(jp: Jobplane) -> None:
    @jp.job("later", max_attempts=1)
    def later(ctx: Context) -> None:
        if ctx.attempt < 3:
            raise Snooze(0)
        raise Fail("no such picture")

    jp.sync()
    handle = later.enqueue()

    assert jp.drain() == 3
    job = jp.get(handle)
    assert (job.status, job.reason, job.error) == (S.FAILED, "no such picture", "no such picture")


def test_a_snoozed_job_waits(jp: Jobplane) -> None:
    @jp.job("later")
    def later() -> None:
        raise Snooze(3600)

    jp.sync()
    handle = later.enqueue()

    assert jp.drain() == 1
    job = jp.get(handle)
    assert (job.status, job.attempts) == (S.QUEUED, 0)
    assert (job.scheduled_for - job.created_at).total_seconds() > 3500


@pytest.mark.parametrize("result", [object(), float("nan"), {"a": {1, object()}}, "\ud800", {1: 2, "1": 3}], ids=type)
def test_a_result_that_json_cannot_carry_fails_the_job(jp: Jobplane, result: object) -> None:
    @jp.job("strange")
    def strange() -> object:
        return result

    jp.sync()
    handle = strange.enqueue()

    assert jp.drain() == 1
    job = jp.get(handle)
    assert (job.status, job.reason) == (S.FAILED, "invalid_result")
    assert "result cannot be kept" in str(job.error)


def test_a_result_that_fails_while_it_is_written_fails_the_attempt(jp: Jobplane) -> None:
    def rows() -> Generator[int]:
        yield 1
        raise KeyError("of the handler")

    @jp.job("lazy", max_attempts=1)
    def lazy() -> object:
        return rows()

    jp.sync()
    handle = lazy.enqueue()

    assert jp.drain() == 1
    assert jp.get(handle).status is S.DEAD_LETTER
    assert "of the handler" in (jp.get(handle).error or "")


@pytest.mark.parametrize("result", ["x" * 300_000, [0] * 10_001])
def test_a_result_that_is_more_than_a_store_keeps_fails_the_job(jp: Jobplane, result: Json) -> None:
    @jp.job("large")
    def large() -> Json:
        return result

    jp.sync()
    handle = large.enqueue()
    jp.drain()

    job = jp.get(handle)
    assert (job.status, job.reason, jp.result(handle)) == (S.FAILED, "invalid_result", None)
    assert "more than" in (job.error or "")


def test_a_payload_that_no_longer_fits_fails_the_job(jp: Jobplane, url: str | None) -> None:
    @jp.job("greet")
    def greet(name: str) -> None: ...

    jp.sync()
    handle = greet.enqueue(name="alice")
    with Jobplane(url) as newer:

        @newer.job("greet")
        def _(name: str, greeting: str) -> None: ...

        newer.drain()

    job = jp.get(handle)
    assert (job.status, job.reason) == (S.FAILED, "invalid_payload")
    assert "greeting" in str(job.error)


def test_a_definition_of_another_program_is_not_claimed(jp: Jobplane, url: str | None) -> None:
    @jp.job("ours")
    def ours() -> None: ...

    with Jobplane(url) as other:

        @other.job("theirs")
        def theirs() -> str:
            return "done"

        other.sync()
        handle = theirs.enqueue()
        ours_too = jp.drain()
        before = jp.get(handle)

        assert other.drain() == 1

    assert ours_too == 0
    assert (before.status, before.attempt_no) == (S.QUEUED, 0)
    assert jp.result(handle) == "done"


def test_an_async_handler_has_its_timeout(jp: Jobplane) -> None:
    @jp.job("sleep", timeout_seconds=1, max_attempts=1)
    async def sleep() -> None:
        await asyncio.sleep(60)

    jp.sync()
    handle = sleep.enqueue()
    jp.drain()

    job = jp.get(handle)
    assert (job.status, job.reason, job.error) == (S.DEAD_LETTER, "timeout", "Job exceeded its timeout of 1 s.")


def test_a_handler_that_returns_past_its_timeout_has_not_succeeded(jp: Jobplane) -> None:
    @jp.job("oversleep", timeout_seconds=1, max_attempts=1)
    def oversleep() -> str:
        time.sleep(1.1)
        return "slept"

    @jp.job("oversleep-async", timeout_seconds=1, max_attempts=1)
    async def oversleep_async() -> str:
        time.sleep(1.1)  # noqa: ASYNC251 it should not
        return "slept"

    @jp.job("swallow", timeout_seconds=1, max_attempts=1)
    async def swallow() -> str:
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        return "slept"

    @jp.job("raise-late", timeout_seconds=1, max_attempts=1)
    def raise_late() -> None:
        time.sleep(1.1)
        raise ValueError("late")

    jp.sync()
    handles = [job.enqueue() for job in (oversleep, oversleep_async, swallow, raise_late)]
    jp.drain()

    for job in map(jp.get, handles):
        error = "Job exceeded its timeout of 1 s."
        assert (job.status, job.reason, job.error) == (S.DEAD_LETTER, "timeout", error), job.definition_key


def test_progress_and_checkpoints_act_at_the_call_also_where_nobody_awaits_them(jp: Jobplane) -> None:
    seen: list[float | None] = []

    @jp.job("forgetful", max_attempts=1)
    async def forgetful(ctx: Context) -> None:
        ctx.progress(0.25)
        seen.append(jp.get(ctx.job.id).progress)
        jp.cancel(ctx.job.id, reason="enough")
        ctx.checkpoint()

    jp.sync()
    handle = forgetful.enqueue()
    jp.drain()

    assert seen == [0.25]
    assert (jp.get(handle).status, jp.get(handle).reason) == (S.CANCELED, "enough")


async def test_what_nobody_awaits_beside_a_loop_is_not_lost(on_loop: Jobplane) -> None:
    jp = on_loop
    seen: list[float | None] = []

    @jp.job("forgetful", max_attempts=1)
    async def forgetful(ctx: Context) -> None:
        for share in (0.25, 0.5, 0.75):
            ctx.progress(share)
        while (await jp.get_async(ctx.job.id)).progress != 0.75:  # noqa: ASYNC110 the other side is the store
            await asyncio.sleep(0)
        seen.append(0.75)
        await asyncio.to_thread(ctx.progress, 0.8)
        seen.append((await jp.get_async(ctx.job.id)).progress)
        await jp.cancel_async(ctx.job.id, reason="enough")
        while True:
            ctx.checkpoint()
            await asyncio.sleep(0)

    @jp.job("brief", max_attempts=1)
    async def brief(ctx: Context) -> None:
        ctx.progress(0.5)
        raise ValueError("it ends before the store has heard it")

    @jp.job("once", max_attempts=1)
    async def once(ctx: Context) -> None:
        await jp.cancel_async(ctx.job.id, reason="enough")
        ctx.checkpoint()

    await jp.sync_async()
    handles = [await job.enqueue_async() for job in (forgetful, brief, once)]
    await jp.drain_async()

    assert seen == [0.75, 0.8]
    canceled, failed, last = [await jp.get_async(handle) for handle in handles]
    assert (canceled.status, canceled.reason) == (last.status, last.reason) == (S.CANCELED, "enough")
    assert (failed.status, failed.progress) == (S.DEAD_LETTER, 0.5)


def test_a_handler_learns_at_a_checkpoint_that_it_is_canceled(jp: Jobplane) -> None:
    seen: list[bool] = []

    @jp.job("long")
    def long(ctx: Context) -> None:
        jp.cancel(ctx.job.id, reason="enough")
        try:
            ctx.checkpoint()
        except Canceled:
            seen.append(ctx.is_canceled)
            raise

    jp.sync()
    handle = long.enqueue()
    jp.drain()

    job = jp.get(handle)
    assert seen == [True]
    assert (job.status, job.reason) == (S.CANCELED, "enough")


def test_what_a_handler_enqueues_inherits_from_its_job(jp: Jobplane) -> None:
    @jp.job("child")
    def child(n: int) -> None: ...

    @jp.job("parent")
    def parent() -> None:
        child.enqueue(n=1)
        child.options(tenant="default", correlation_id="own").enqueue(n=2)

    @jp.job("parent-async")
    async def parent_async() -> None:
        await child.enqueue_async(n=3)

    jp.sync()
    jp.create_tenant("acme")
    options = {"correlation_id": "c", "trace_context": "t"}
    parent.options(tenant="acme", correlation_id="c", trace_context="t").enqueue()
    parent_async.options(tenant="acme", correlation_id="c", trace_context="t").enqueue()

    assert jp.drain() == 5
    inherited = list(jp.list(tenant="acme", definitions=["child"]))
    parents = {str(job.id): job.definition_key for job in jp.list(tenant="acme") if job.definition_key != "child"}
    assert [job.triggered_by for job in inherited] == [
        {"type": "job", "id": job_id, "name": name} for job_id, name in parents.items()
    ]
    assert [(job.payload["n"], job.correlation_id, job.trace_context) for job in inherited] == [
        (3, *options.values()),
        (1, *options.values()),
    ]
    assert [(job.payload["n"], job.correlation_id) for job in jp.list(definitions=["child"])] == [(2, "own")]


def test_log_lines_carry_the_ids_of_the_attempt(jp: Jobplane, caplog: pytest.LogCaptureFixture) -> None:
    @jp.job("talk")
    def talk(ctx: Context) -> None:
        ctx.log.info("listing", path="/")

    jp.sync()
    handle = talk.enqueue()
    with caplog.at_level(logging.INFO, "jobplane.job"):
        jp.drain()

    [line] = [record for record in caplog.records if record.name == "jobplane.job"]
    assert line.getMessage() == "listing path='/'"
    assert (line.__dict__["job_id"], line.__dict__["attempt_no"]) == (str(handle.id), 1)
    assert line.filename == "test_run.py"


def test_progress_is_on_record(jp: Jobplane) -> None:
    seen: list[float | None] = []

    @jp.job("steps", max_attempts=1)
    def steps(ctx: Context) -> None:
        ctx.progress(0.25)
        seen.append(jp.get(ctx.job.id).progress)

    jp.sync()
    steps.enqueue()
    jp.drain()

    assert seen == [0.25]


def test_waiting_for_a_job_that_does_not_end_is_given_up(jp: Jobplane) -> None:
    @jp.job("never")
    def never() -> None: ...

    jp.sync()
    handle = never.enqueue()

    with pytest.raises(TimeoutError, match=str(handle.id)):
        jp.wait(handle, timeout=0.05)


def test_run_once_stops_at_its_limit_and_serves_the_queues_named(jp: Jobplane) -> None:
    @jp.job("here")
    def here() -> None: ...

    @jp.job("there", queue="elsewhere")
    def there() -> None: ...

    jp.sync()
    jp.enqueue_many([here.call(), here.call(), here.call(), there.call()])

    assert jp.run_once(limit=2) == 2
    assert jp.run_once(queues=["elsewhere"]) == 1
    assert jp.drain() == 1


def test_an_interrupt_gives_the_job_back(jp: Jobplane) -> None:
    @jp.job("stop")
    def stop() -> None:
        raise KeyboardInterrupt

    jp.sync()
    handle = stop.enqueue()

    with pytest.raises(KeyboardInterrupt):
        jp.drain()
    job = jp.get(handle)
    assert (job.status, job.attempts) == (S.QUEUED, 0)


async def test_a_canceled_task_gives_the_job_back(on_loop: Jobplane) -> None:
    jp, started = on_loop, asyncio.Event()

    @jp.job("long")
    async def long() -> None:
        started.set()
        await asyncio.sleep(60)

    await jp.sync_async()
    handle = await long.enqueue_async()
    draining = asyncio.create_task(jp.drain_async())
    await started.wait()
    draining.cancel()

    with pytest.raises(asyncio.CancelledError):
        await draining
    job = await jp.get_async(handle)
    assert (job.status, job.attempts) == (S.QUEUED, 0)


async def test_a_canceled_task_keeps_what_a_thread_has_done(on_loop: Jobplane) -> None:
    """A thread runs to its end, so that its outcome is known, and the work need not be done again."""
    jp, started, go = on_loop, asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    @jp.job("blocking")
    def blocking() -> int:
        loop.call_soon_threadsafe(started.set)
        go.wait()
        return 7

    await jp.sync_async()
    handle = await blocking.enqueue_async()
    draining = asyncio.create_task(jp.drain_async())
    await started.wait()
    draining.cancel()
    loop.call_soon(go.set)

    with pytest.raises(asyncio.CancelledError):
        await draining
    assert ((await jp.get_async(handle)).status, await jp.result_async(handle)) == (S.SUCCEEDED, 7)


def test_nothing_is_due_before_its_time(jp: Jobplane) -> None:
    @jp.job("later")
    def later() -> None: ...

    jp.sync()
    later.options(delay=3600).enqueue()

    assert jp.drain() == 0


async def test_the_blocking_run_says_which_twin_an_event_loop_needs(jp: Jobplane) -> None:
    @jp.job("later")
    async def later() -> None: ...

    jp.sync()
    with pytest.raises(Invalid, match="run_once_async"):
        jp.run_once()

    assert later.key == "later"


def test_four_threads_that_drain_run_each_job_once(jp: Jobplane) -> None:
    ran: list[int] = []

    @jp.job("count")
    def count(n: int) -> None:
        ran.append(n)

    jp.sync()
    jp.enqueue_many([count.call(n) for n in range(60)], raise_refused=True)
    threads = [threading.Thread(target=jp.drain) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(ran) == list(range(60))
    assert len(list(jp.list(statuses=[S.SUCCEEDED]))) == 60


async def test_two_tasks_that_drain_run_each_job_once(on_loop: Jobplane) -> None:
    jp = on_loop
    ran: list[int] = []

    @jp.job("count")
    async def count(n: int) -> None:
        ran.append(n)

    await jp.sync_async()
    await jp.enqueue_many_async([count.call(n) for n in range(30)])

    assert sum(await asyncio.gather(jp.drain_async(), jp.drain_async())) == 30
    assert sorted(ran) == list(range(30))


def test_a_handler_may_drain_what_it_enqueued(jp: Jobplane) -> None:
    @jp.job("child")
    def child(ctx: Context) -> str | None:
        return ctx.correlation_id

    @jp.job("parent")
    def parent() -> Json:
        handle = child.enqueue()
        jp.drain()
        return jp.result(handle)

    jp.sync()
    handle = parent.options(correlation_id="c").enqueue()
    jp.drain()

    assert jp.result(handle) == "c"


async def test_a_queue_full_of_another_live_workers_jobs_hides_none_of_ours(on_loop: Jobplane, url: str | None) -> None:
    jp = on_loop

    @jp.job("ours")
    def ours() -> None: ...

    async with Jobplane(url) as other:

        @other.job("theirs")
        def theirs() -> None: ...

        await other.sync_async()
        store = await other._stores.get_running()  # pyright: ignore[reportPrivateUsage]
        await store.run(RegisterWorker(NewWorker(worker_id="alive", queues=["default"], definitions=["theirs"])))
        await other.enqueue_many_async([theirs.call() for _ in range(60)])

        await jp.sync_async()
        await jp.enqueue_many_async([ours.call() for _ in range(2)])
        assert (await jp.drain_async(), jp.drain()) == (2, 0)
        await jp.enqueue_many_async([ours.call() for _ in range(2)])
        assert (jp.drain(), await jp.drain_async()) == (2, 0)

        assert len([job async for job in other.list_async(statuses=[S.QUEUED])]) == 60


def test_what_a_failure_comes_from_is_told_with_it(jp: Jobplane) -> None:
    @jp.job("wrap", max_attempts=1)
    def wrap(kind: str) -> None:
        try:
            _ = 1 // 0
        except ZeroDivisionError as error:
            raise {"fail": Fail, "retry": Retry}[kind]("no division today") from error

    jp.sync()
    handles = [wrap.enqueue(kind=kind) for kind in ("fail", "retry")]
    jp.drain()

    for handle in handles:
        error = jp.get(handle).error or ""
        assert "ZeroDivisionError" in error
        assert error.splitlines()[-1].endswith("no division today")
