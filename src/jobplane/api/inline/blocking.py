"""Inline runs of a program without an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Self

from jobplane.api.inline import renewals
from jobplane.api.inline.handler_calls import call, call_async
from jobplane.api.inline.inline import Inline
from jobplane.api.inline.renewing import keep_lease
from jobplane.api.inline.run import Run
from jobplane.control.immediate import Immediate, block, finish
from jobplane.core.errors import Invalid
from jobplane.core.leases import Ending, Lease
from jobplane.execution.handler import Handler
from jobplane.store.base import BlockingStore

if TYPE_CHECKING:
    from jobplane.api.plane import Plane


class BlockingInline(Inline):
    """Runs `def` handlers in this thread, and others on an event loop that lasts as long as this."""

    def __init__(self, plane: Plane, store: BlockingStore, queues: Sequence[str]) -> None:
        super().__init__(plane, Immediate(store), queues, block)
        self._runner: asyncio.Runner | None = None

    def __enter__(self) -> Self:
        if self._plane.needs_loop and _is_on_loop():
            raise Invalid("An event loop is running here. Use await jp.run_once_async() or await jp.drain_async().")
        self._hook(self._plane.hooks.start)
        finish(self._register())
        return self

    def __exit__(self, *_: object) -> None:
        self._hook(self._plane.hooks.stop)
        if self._runner is not None:
            self._runner.run(self._plane.aclose())
            self._runner.close()
        finish(self._deregister())

    def round(self, limit: int | None = None) -> int:
        """Upkeep, then due jobs; how many jobs ran."""
        return finish(self._round(limit))

    def drain(self) -> int:
        """Rounds until nothing is due; how many jobs ran."""
        return finish(self._drain())

    def _hook(self, run: Callable[[], Coroutine[None, None, None]]) -> None:
        """Hooks that all are `def` need no event loop."""
        if self._plane.hooks.needs_loop:
            self._loop().run(run())
        else:
            finish(run())

    def _renews(self, handler: Handler, lease: Lease) -> renewals.Renews:
        return renewals.make_blocking(self._store, lease)

    async def _call(self, run: Run) -> Ending:
        with keep_lease(self._store, run.attempt):
            return self._loop().run(call_async(run)) if run.handler.is_async else call(run)

    def _loop(self) -> asyncio.Runner:
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner


def _is_on_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
