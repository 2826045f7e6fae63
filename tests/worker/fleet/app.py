"""The jobs that the fleet's tests run; `mark` is a file in which a handler says which process it is."""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from jobplane import Context, DeadlinePassed, Fail, Jobplane

if "FLEET_APP_IS_BROKEN" in os.environ:
    raise RuntimeError("it cannot start now")

jp = Jobplane("sqlite:///never-opened.db")


def _sign(mark: str, *more: int) -> None:
    """In one step: who waits for the file finds it whole."""
    target = Path(mark)
    draft = target.with_name(f".{target.name}")
    draft.write_text(" ".join(map(str, (os.getpid(), *more))))
    draft.rename(target)


@jp.job("noop")
async def noop(ctx: Context) -> None:
    pass


def _die_soon() -> None:
    asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGKILL)


@jp.job("answer")
async def answer(ctx: Context, dies: bool = False) -> int:
    if dies:
        _die_soon()
    return 42


@jp.job("refuse")
async def refuse(ctx: Context, dies: bool = False) -> None:
    if dies:
        _die_soon()
    raise Fail("no such picture")


@jp.job("long")
async def long(ctx: Context, mark: str, seconds: float = 60) -> None:
    _sign(mark)
    await asyncio.sleep(seconds)


@jp.job("long-alone", isolation="process")
async def long_alone(ctx: Context, mark: str, seconds: float = 60) -> None:
    _sign(mark)
    await asyncio.sleep(seconds)


@jp.job("heavy", queue="heavy", isolation="process")
async def heavy(ctx: Context, mark: str) -> None:
    """In a queue of nothing else."""
    _sign(mark)
    await asyncio.sleep(60)


@jp.job("last-words-kept")
async def last_words_kept(ctx: Context, count: int) -> None:
    for number in range(count):
        ctx.log.info("kept", number=number)


@jp.job("last-words")
async def last_words(ctx: Context, stored: int, lost: int) -> None:
    """Some lines that have time to leave, and some that have not."""
    for number in range(stored):
        ctx.log.info("stored", number=number)
    await asyncio.sleep(1.5 if stored else 0)
    for number in range(lost):
        ctx.log.info("lost", number=number)
    os.kill(os.getpid(), signal.SIGKILL)


@jp.job("block")
async def block(ctx: Context, mark: str, seconds: float = 60) -> None:
    """Keeps the event loop from turning."""
    _sign(mark)
    time.sleep(seconds)  # noqa: ASYNC251 it should not


@jp.job("deaf")
def deaf(ctx: Context, mark: str) -> None:
    _sign(mark)
    time.sleep(60)


@jp.job("mumble")
def mumble(ctx: Context, mark: str) -> None:
    """Speaks and ends when it is told to by a file."""
    _sign(mark)
    while not Path(f"{mark}-end").exists():
        time.sleep(0.01)
    ctx.log.info("at last")


@jp.job("stubborn")
def stubborn(ctx: Context, mark: str) -> None:
    """Keeps the exception of its deadline for itself, and ends when it is told to by a file."""
    _sign(mark)
    while not Path(f"{mark}-end").exists():
        with suppress(DeadlinePassed):
            time.sleep(0.01)


@jp.job("crash")
def crash(ctx: Context) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


@jp.job("return-and-die")
async def return_and_die(ctx: Context, lines: int = 0) -> None:
    """Leave a callback on the loop that kills the process before the outcome is sent."""
    for _ in range(lines):
        ctx.log.info("lost")
    _die_soon()


@jp.job("leave")
def leave(ctx: Context) -> None:
    os._exit(0)


@jp.job("hold-the-gil")
def hold_the_gil(ctx: Context, mark: str, seconds: int = 60) -> None:
    _sign(mark)
    ctypes.PyDLL(None).sleep(seconds)


@jp.job("with-a-child")
def with_a_child(ctx: Context, mark: str) -> None:
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    _sign(mark, child.pid)
    time.sleep(60)


@jp.job("orphan")
def orphan(ctx: Context, mark: str) -> None:
    """Leaves a grandchild behind that ends at once, and whose parent is gone."""
    script = "import os,sys; pid = os.fork(); print(pid) if pid else os._exit(0)"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    _sign(mark, int(child.stdout))
