"""A program whose handlers do all that a handler may do."""

# ruff: noqa: T201

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import sys
import threading
import time
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator

from jobplane import Context, Fail, Jobplane, Retry, Snooze, current_context

jp = Jobplane(version="7")
left_behind: ContextVar[str] = ContextVar("left_behind", default="")
app = logging.getLogger("app")


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


class Base(BaseException):
    pass


def _deep() -> None:
    _deep()


def _fault(name: str) -> BaseException:
    faults: dict[str, BaseException] = {
        "value": ValueError("\x00\ud800 bad"),
        "unspeakable": Unspeakable(),
        "exit": SystemExit(3),
        "interrupt": KeyboardInterrupt(),
        "base": Base("of its own"),
        "canceled": asyncio.CancelledError(),
        "snooze": Snooze(7),
        "retry": Retry("again", after=9),
        "fail": Fail("no such picture"),
        "long": ValueError("x" * 5_000_000 + "the end"),
    }
    return faults[name]


def _raise(name: str) -> None:
    if name == "recursion":
        _deep()
    raise _fault(name)


@jp.job("raise")
def raises(name: str) -> None:
    _raise(name)


@jp.job("raise-async")
async def raises_async(name: str) -> None:
    await asyncio.sleep(0)
    _raise(name)


@jp.job("return")
def returns(kind: str) -> object:
    results: dict[str, object] = {"object": object(), "nan": float("nan"), "set": {1, 2}, "surrogate": "\ud800"}
    results["long"] = "x" * 200_000
    results["keys"] = {1: "a", "1": "b"}
    return "x" * 1_000_000 if kind == "large" else results[kind]


@jp.job("add")
async def add(a: int, b: int = 2) -> int:
    return a + b


@jp.job("nothing")
async def nothing() -> None: ...


@jp.job("nothing-def")
def nothing_def() -> None: ...


def _positive(number: int) -> int:
    if number < 0:
        raise ValueError("less than nothing")
    if number == 0:
        raise KeyError("a fault of the validator")
    return number


@jp.job("picky")
async def picky(n: Annotated[int, AfterValidator(_positive)]) -> None: ...


@jp.job("look")
async def look(ctx: Context) -> dict[str, object]:
    found = current_context()
    return {
        "job": str(ctx.job.id),
        "key": ctx.job.key,
        "attempt": ctx.attempt,
        "left": ctx.attempts_left,
        "priority": ctx.priority,
        "tenant": str(ctx.tenant_id),
        "correlation": ctx.correlation_id,
        "trace": ctx.trace_id,
        "scheduled_for": ctx.scheduled_for.isoformat(),
        "triggered_by": list(ctx.triggered_by),
        "trigger": ctx.trigger_id and str(ctx.trigger_id),
        "planned_at": ctx.planned_at and ctx.planned_at.isoformat(),
        "late_hours": None if ctx.late_seconds is None else round(ctx.late_seconds / 3600),
        "worker": ctx.worker,
        "has_deadline": ctx.deadline is not None,
        "below": str(found.job.id) if found else None,
    }


@jp.job("leave-variable")
def leave_variable() -> str:
    before = left_behind.get()
    left_behind.set("mine")
    return before


@jp.job("leave-variable-async")
async def leave_variable_async() -> str:
    before = left_behind.get()
    left_behind.set("mine")
    return before


@jp.job("talk")
async def talk(ctx: Context, n: int = 1) -> None:
    for _ in range(n):
        print("printed", "twice")
        ctx.log.info("in context", path="/", strange=object, bad="\x00\ud800", huge=10**30)
        app.warning("by %s", "logging", extra={"k": 1})
    app.debug("not asked for")
    print("of stderr", file=sys.stderr)
    print("no end", end="")
    try:
        _raise("value")
    except ValueError:
        app.exception("caught")


@jp.job("pretend")
async def pretend(ctx: Context) -> None:
    """To be another job of another tenant."""
    ctx.log.warning("in context", job_id="x", tenant_id="x", level="x", timestamp="x", message="x", self="x")
    app.warning("by logging", extra={"job_id": "x", "tenant_id": "x", "level": "x", "k": 1})
    print("x" * 40_000)


@jp.job("name-a-tenant")
async def name_a_tenant() -> None:
    app.warning("mine", extra={"tenant": "of the handler"})


@jp.job("talk-in-threads")
async def talk_in_threads() -> None:
    await asyncio.gather(*(asyncio.to_thread(print, n) for n in range(20)))


@jp.job("chatter")
def chatter(ctx: Context, lines: int, length: int) -> None:
    for number in range(lines):
        ctx.log.info("x" * length, number=number)


@jp.job("chatter-and-raise")
def chatter_and_raise(ctx: Context, lines: int) -> None:
    chatter(ctx, lines, 1000)
    print("the last words")
    raise ValueError("after the flood")


@jp.job("chatter-in-turns")
def chatter_in_turns(ctx: Context, mark: str) -> None:
    """Floods, waits until the file is there, and says a few lines more."""
    chatter(ctx, 3000, 1000)
    while not Path(mark).exists():
        time.sleep(0.01)
    chatter(ctx, 3, 10)


@jp.job("say-large-fields")
def say_large_fields(ctx: Context) -> None:
    ctx.log.info("m" * 1_000_000, order=7, body="b" * 50_000, rows=["r"] * 20_000, name="alice")


@jp.job("say-and-toil")
def say_and_toil(ctx: Context, message: str, mark: str, seconds: float) -> None:
    """Does not hear that it is to stop."""
    ctx.log.info(message)
    Path(mark).touch()
    time.sleep(seconds)


@jp.job("say-and-wait")
async def say_and_wait(ctx: Context, message: str) -> None:
    ctx.log.info(message)
    await ctx.progress(0.25, "begun")
    await asyncio.sleep(60)


@jp.job("sleep")
async def sleep() -> None:
    await asyncio.sleep(60)


@jp.job("spin")
async def spin(ctx: Context) -> None:
    """Never waits for anything but its checkpoint."""
    while True:
        await ctx.checkpoint()


@jp.job("poll")
def poll(ctx: Context) -> None:
    while True:
        ctx.checkpoint()
        time.sleep(0.01)


@jp.job("stubborn")
async def stubborn() -> str:
    """Does not let itself be canceled; ends when the file of its release is there."""
    while not released.is_set():
        try:
            await asyncio.sleep(0.02)
        except asyncio.CancelledError:
            continue
    return "at last"


@jp.job("deaf")
def deaf() -> str:
    released.wait()
    return "at last"


released = threading.Event()


@jp.job("release")
async def release() -> None:
    released.set()


@jp.job("clean-up")
async def clean_up() -> None:
    try:
        await asyncio.sleep(60)
    finally:
        raise RuntimeError("while it cleaned up")


@jp.job("leave-task")
async def leave_task() -> None:
    async def exit_later() -> None:
        await asyncio.sleep(0)
        sys.exit(9)

    async def talk_later() -> None:
        await asyncio.sleep(0.05)
        print("too late for its log")

    for later in (exit_later(), talk_later()):
        tasks.add(asyncio.create_task(later))


tasks: set[asyncio.Task[None]] = set()


@jp.job("wait-for-left-behind")
async def wait_for_left_behind() -> None:
    await asyncio.wait(tasks)


@jp.job("leave-thread")
def leave_thread() -> None:
    threading.Thread(target=threading.Event().wait, name="left behind").start()


@jp.job("exit-process")
def exit_process() -> None:
    os._exit(0)


@jp.job("exit-process-async")
async def exit_process_async() -> None:
    os._exit(0)


@jp.job("fork")
def fork() -> int:
    """A child that can be stopped as any other."""
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    child.start()
    child.terminate()
    child.join()
    return child.exitcode or 0


def _come_back(way: str) -> int:
    """The exit status of a child that says something and does not leave by itself."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    for _ in range(3):
        print("in the child")
    if way == "raise":
        raise ValueError("of the child")
    if way == "exit":
        sys.exit(5)
    return 7


@jp.job("fork-and-return")
def fork_and_return(way: str) -> int:
    return _come_back(way)


@jp.job("fork-and-return-async")
async def fork_and_return_async(way: str) -> int:
    return _come_back(way)


@jp.job("misfit-record")
def misfit_record() -> None:
    app.info("bad args %d", "a")
    with_a_handler = logging.getLogger("with-a-handler")
    with_a_handler.addHandler(logging.StreamHandler())  # which complains on stderr
    with_a_handler.info("bad args %d", "b")
    try:
        raise ValueError("caught")
    except ValueError:
        app.exception("worse %d", Unspeakable())


@jp.job("block")
async def block() -> None:
    while True:
        pass


@jp.job("spin-def")
def spin_def() -> None:
    """Never asks whether to stop."""
    while True:
        pass


@jp.job("oversleep")
def oversleep(seconds: float) -> str:
    time.sleep(seconds)
    return "slept"


@jp.job("oversleep-async")
async def oversleep_async(seconds: float) -> str:
    """Keeps the event loop from turning past its deadline."""
    time.sleep(seconds)  # noqa: ASYNC251 it should not
    return "slept"


@jp.job("swallow-async")
async def swallow_async() -> str:
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        return "swallowed"
    return "slept"


@jp.job("swallow")
def swallow() -> str:
    """Keeps the exception of its deadline for itself, and goes on for a moment."""
    try:
        while True:
            pass
    except BaseException as error:  # noqa: BLE001 that is the point
        time.sleep(0.2)
        return repr(error)


@jp.job("shrug")
def shrug() -> None:
    """Keeps every `Exception` for itself."""
    while True:
        with suppress(Exception):
            time.sleep(0.001)


@jp.job("tidy-up")
def tidy_up(ctx: Context) -> None:
    try:
        while True:
            pass
    finally:
        time.sleep(0.1)
        ctx.log.info("tidied up")


@jp.job("check-and-tidy")
def check_and_tidy(ctx: Context) -> None:
    """Meets its deadline at a checkpoint, and is not interrupted again while it cleans up."""
    try:
        while True:
            ctx.checkpoint()
    finally:
        for _ in range(200):
            time.sleep(0.001)
        ctx.log.info("tidied up")


@jp.job("end-late")
def end_late(name: str) -> None:
    """Says in its own words how it ends, after its deadline."""
    try:
        while True:
            pass
    finally:
        _raise(name)
