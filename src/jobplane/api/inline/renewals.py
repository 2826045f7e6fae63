"""Renew the lease of a running handler from inside it, for `def` and for `async def` handlers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator
from typing import Final

from jobplane.control.immediate import finish
from jobplane.core.leases import Lease
from jobplane.store.base import EngineStore
from jobplane.store.verbs.engine import Renew

LEASE_SECONDS: Final = 30


class Done(Awaitable[str]):
    """An answer that is there already. Not awaiting it is harmless."""

    def __init__(self, answer: str) -> None:
        self.answer = answer

    def __await__(self) -> Generator[None, None, str]:
        yield from ()
        return self.answer


# Progress from 0 to 1 and in words; the answer is renewed, cancel, busy or gone.
Renews = Callable[[float | None, str | None], "Done | asyncio.Task[str]"]


def make_blocking(store: EngineStore, lease: Lease) -> Renews:
    """For a blocking store: each renewal is complete when the call returns."""
    return lambda progress, message: Done(finish(renew(store, lease, progress, message)))


def make_async(store: EngineStore, lease: Lease, loop: asyncio.AbstractEventLoop) -> Renews:
    """For an `async def` handler and the store of its event loop: each renewal starts at the call, in order."""
    last: asyncio.Task[str] | None = None
    from_threads = make_on_loop(store, lease, loop)

    async def follow(before: asyncio.Task[str] | None, progress: float | None, message: str | None) -> str:
        if before is not None:
            await asyncio.wait({before})
        return await renew(store, lease, progress, message)

    def asks(progress: float | None, message: str | None) -> Done | asyncio.Task[str]:
        nonlocal last
        if threading.get_ident() != thread:
            return from_threads(progress, message)
        last = loop.create_task(follow(last, progress, message))
        return last

    thread = threading.get_ident()
    return asks


def make_on_loop(store: EngineStore, lease: Lease, loop: asyncio.AbstractEventLoop) -> Renews:
    """For a `def` handler in a thread beside the event loop that has the store."""

    def asks(progress: float | None, message: str | None) -> Done:
        asked = asyncio.run_coroutine_threadsafe(renew(store, lease, progress, message), loop)
        return Done(asked.result())

    return asks


async def renew(store: EngineStore, lease: Lease, progress: float | None = None, message: str | None = None) -> str:
    """One renewal. That somebody follows the log is nothing to the handler."""
    renewed = await store.run(Renew([lease], LEASE_SECONDS, progress={lease.seq: (progress, message)}))
    answers = [each.answer for each in renewed.exceptions if each.answer != "followed"]
    return answers[0] if answers else "renewed"
