"""What the workers of these tests run: handlers that say when they start, act and end, and some that break things."""

from __future__ import annotations

import asyncio
import ctypes
import multiprocessing
import os
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Final

from jobplane import Backoff, Canceled, Context, DeadlinePassed, Interrupted, Jobplane, LeaseLost
from tests.faults.recorder import Pen

AT_ONCE: Final = Backoff(base=0, jitter=0)
PULSE_SECONDS: Final = 0.2
STOPPED: Final = (Canceled, DeadlinePassed, Interrupted, LeaseLost)  # what a checkpoint raises
BOSS: Final = os.getppid()  # the supervisor; read now, for an orphan has another parent

jp = Jobplane()
_pen = cache(Pen.of_this_process)


@contextmanager
def recorded(ctx: Context) -> Generator[Callable[[], None]]:
    """Write down the start, one effect and the end; the answer is a sign of life for a long handler to give."""
    who = {"job": str(ctx.job.id), "attempt": ctx.attempt, "pid": os.getpid(), "boss": BOSS, "run": time.monotonic_ns()}
    pulse = partial(_pen().write, "effect", **who)
    _pen().write("start", **who)
    pulse()
    try:
        yield pulse
    except STOPPED:
        _pen().write("end", how="stopped", **who)
        raise
    except Exception:
        _pen().write("end", how="raised", **who)
        raise
    except BaseException:
        _pen().write("end", how="stopped", **who)
        raise
    _pen().write("end", how="done", **who)


def own_line(ctx: Context) -> str:
    """What the judge expects under this attempt."""
    return f"attempt {ctx.attempt} of {ctx.job.id}"


def doom() -> None:
    """Say that this process is about to die by its own hand."""
    _pen().write("broken", name="poison", pid=os.getpid())


@jp.job("quick", backoff=AT_ONCE)
async def quick(ctx: Context, mark: int) -> None:
    with recorded(ctx):
        pass


def duration(ctx: Context, seconds: float, again: float | None) -> float:
    """A job that is struck in a long attempt need not be long again."""
    return seconds if again is None or ctx.attempt == 1 else again


@jp.job("nap", backoff=AT_ONCE)
async def nap(ctx: Context, mark: int, seconds: float, again: float | None = None) -> None:
    """Sleep on the loop."""
    with recorded(ctx) as pulse:
        ends_at = time.monotonic() + duration(ctx, seconds, again)
        while (left := ends_at - time.monotonic()) > 0:
            await asyncio.sleep(min(left, PULSE_SECONDS))
            pulse()


def is_open(gate: str) -> bool:
    """Whether the test has made that file."""
    return bool(gate) and Path(gate).exists()


@jp.job("wait", backoff=AT_ONCE)
async def wait(ctx: Context, mark: int, gate: str) -> None:
    """Sleep until the gate is open."""
    with recorded(ctx) as pulse:
        while not is_open(gate):
            await asyncio.sleep(PULSE_SECONDS)
            pulse()


@jp.job("dig", backoff=AT_ONCE)
def dig(ctx: Context, mark: int, seconds: float) -> None:
    """Sleep in a thread, and ask again and again whether to go on."""
    with recorded(ctx):
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            time.sleep(0.02)
            ctx.checkpoint()


@jp.job("toil", backoff=AT_ONCE)
def toil(ctx: Context, mark: int, seconds: float, again: float | None = None) -> None:
    """Sleep in a thread, and write a line."""
    with recorded(ctx) as pulse:
        ctx.log.info(own_line(ctx))
        ends_at = time.monotonic() + duration(ctx, seconds, again)
        while (left := ends_at - time.monotonic()) > 0:
            time.sleep(min(left, PULSE_SECONDS))
            pulse()


@jp.job("chatter", backoff=AT_ONCE)
def chatter(
    ctx: Context, mark: int, seconds: float, every: float, lines: int = 1, again: float | None = None, gate: str = ""
) -> None:
    """Write so many lines again and again, until the time is over or the gate is open."""
    with recorded(ctx):
        next_at = time.monotonic()
        ends_at = next_at + duration(ctx, seconds, again)
        while next_at < ends_at and not is_open(gate):
            for _ in range(lines):
                ctx.log.info(own_line(ctx))
            next_at += every
            time.sleep(max(0.0, next_at - time.monotonic()))


@jp.job("lasting", backoff=AT_ONCE, isolation="process", on_lost_contact="continue")
def lasting(ctx: Context, mark: int, seconds: float) -> None:
    """Goes on without contact."""
    with recorded(ctx):
        time.sleep(seconds)


@jp.job("parent", backoff=AT_ONCE, isolation="process")
def parent(ctx: Context, mark: int, seconds: float) -> None:
    """Wait for a process of its own, as for a converter."""
    with recorded(ctx):
        child = subprocess.Popen(["sleep", str(seconds)])
        _pen().write("child", job=str(ctx.job.id), pid=child.pid)
        child.wait()


@jp.job("fork", backoff=AT_ONCE)
def fork(ctx: Context, mark: int, seconds: float) -> None:
    """Sleep in a fork of the process, threads and all, as multiprocessing does."""
    with recorded(ctx):
        child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(seconds,))
        child.start()
        _pen().write("child", job=str(ctx.job.id), pid=child.pid)
        child.join()


@jp.job("hold-the-gil", backoff=AT_ONCE)
def hold_the_gil(ctx: Context, mark: int, seconds: float, again: float | None = None) -> None:
    """Sleep in C code that keeps the interpreter's lock: no thread, loop or signal handler of this process runs."""
    with recorded(ctx):
        ctypes.PyDLL(None).usleep(int(duration(ctx, seconds, again) * 1e6))


@jp.job("doze", backoff=AT_ONCE)
def doze(ctx: Context, mark: int, seconds: float) -> None:
    """Sleep in one call into C, which nothing interrupts: past its timeout only the end of the process ends it."""
    with recorded(ctx):
        doom()
        time.sleep(seconds)


@jp.job("segfault", backoff=AT_ONCE)
def segfault(ctx: Context, mark: int) -> None:
    with recorded(ctx):
        doom()
        ctypes.string_at(0)


@jp.job("out-of-memory", backoff=AT_ONCE)
def out_of_memory(ctx: Context, mark: int) -> None:
    """Ask for more than the process may have, and abort as a C library does that gets nothing."""
    with recorded(ctx):
        doom()
        resource.setrlimit(resource.RLIMIT_AS, (1 << 28, resource.RLIM_INFINITY))
        try:
            bytearray(1 << 32)
        except MemoryError:
            os.abort()


@jp.job("leave", backoff=AT_ONCE)
def leave(ctx: Context, mark: int) -> None:
    """Exit with 0 and without an answer."""
    with recorded(ctx):
        doom()
        os._exit(0)


@jp.job("garble", backoff=AT_ONCE)
def garble(ctx: Context, mark: int) -> None:
    """Write random bytes to every descriptor of the process."""
    with recorded(ctx):
        doom()
        for path in list(Path("/proc/self/fd").iterdir()):
            if int(path.name) > 2:
                with suppress(OSError):
                    os.write(int(path.name), os.urandom(64))


@jp.job("starve", backoff=AT_ONCE)
def starve(ctx: Context, mark: int) -> None:
    """Leave so low a limit behind that nobody in the process can open a file."""
    with recorded(ctx):
        doom()
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


@jp.job("answer", backoff=AT_ONCE)
async def answer(ctx: Context, mark: int, word: str) -> str:
    """Return what one is told."""
    with recorded(ctx):
        return word


@jp.job("brief", backoff=AT_ONCE)
def brief(ctx: Context, mark: int) -> None:
    """Return at once, in a thread."""
    with recorded(ctx):
        pass


@jp.job("reply", backoff=AT_ONCE)
def reply(ctx: Context, mark: int, word: str) -> str:
    """Return a result, from a thread."""
    with recorded(ctx):
        return word


@jp.job("die", backoff=AT_ONCE)
async def die(ctx: Context, mark: int) -> None:
    """Kill the process after a moment on the loop."""
    with recorded(ctx):
        await asyncio.sleep(0.02)
        doom()
        os.kill(os.getpid(), signal.SIGKILL)


UNSTORABLE: Final[list[object]] = ["\0", "\ud800", float("nan"), object(), "x" * 3_000_000, 10**140_000]


@jp.job("unstorable", backoff=AT_ONCE)
async def unstorable(ctx: Context, mark: int, which: int) -> object:
    """Return what a database does not take."""
    with recorded(ctx):
        return UNSTORABLE[which]
