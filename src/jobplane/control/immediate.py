"""A blocking store as coroutines that never wait, so that the same steps run with and without an event loop."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar, cast

from jobplane.core.actors import Actor
from jobplane.store.base import BlockingStore, Conn
from jobplane.store.verbs.verb import Verb

Answer = TypeVar("Answer")


async def block(seconds: float) -> None:
    time.sleep(seconds)  # noqa: ASYNC251 it runs without an event loop


def finish(steps: Coroutine[None, None, Answer]) -> Answer:
    """Run a coroutine that never waits, without an event loop: its first step is its last."""
    try:
        steps.send(None)
    except StopIteration as done:
        return cast("Answer", done.value)
    steps.close()
    raise RuntimeError("A coroutine on a blocking store has waited for an event loop.")


class Immediate:
    """A blocking store as an asynchronous one; each call is complete when it returns, and followed by `after`."""

    def __init__(self, store: BlockingStore, after: Callable[[], None] | None = None) -> None:
        self._store = store
        self._after = after

    async def run(self, verb: Verb[Answer], *, conn: Any = None, actor: Actor | None = None) -> Answer:
        lent: Conn | None = conn
        answer = self._store.run(verb, conn=lent, actor=actor)
        if self._after is not None:
            self._after()
        return answer
