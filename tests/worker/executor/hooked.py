"""A program with hooks around its handlers."""

# ruff: noqa: T201

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextvars import ContextVar

from jobplane import Context, Fail, Jobplane

jp = Jobplane()
told: list[str] = []
kept: ContextVar[str] = ContextVar("kept", default="nothing")


@jp.startup
async def open_pool() -> None:
    await asyncio.sleep(0)
    told.append("started")


@jp.startup
def second() -> None:
    told.append("second")
    kept.set("of the startup")


@jp.shutdown
def last() -> None:
    print("closed last")


@jp.shutdown
async def first() -> None:
    print("closed first")
    raise RuntimeError("the others run all the same")


@jp.middleware
def outer(ctx: Context) -> Generator[None]:
    told.append(f"outer {ctx.job.key}")
    try:
        yield
    except KeyError:
        pass  # a success it does not become
    except LookupError as error:
        raise Fail("translated") from error
    finally:
        told.append("outer ends")


@jp.middleware
async def inner(ctx: Context) -> AsyncGenerator[None]:
    told.append("inner")
    yield
    told.append("inner ends")


@jp.middleware
def refuse(ctx: Context) -> Generator[None]:
    if ctx.job.key.startswith("refused"):
        raise KeyError("refused by a middleware")
    yield


@jp.job("refused")
def refused() -> None: ...


@jp.job("refused-async")
async def refused_async() -> None: ...


@jp.job("tell")
async def tell() -> list[str]:
    return [*told, kept.get()]


@jp.job("tell-def")
def tell_def() -> list[str]:
    return [*told, kept.get()]


@jp.job("swallow")
def swallow() -> None:
    raise KeyError("swallowed")


@jp.job("translate")
async def translate() -> None:
    raise IndexError("of the handler")
