"""A steady stream of jobs beside a test."""

from __future__ import annotations

import threading
from typing import Final, Self

from jobplane.core.model import Json
from tests.faults.stage import Stage

EVERY_SECONDS: Final = 0.1
AT_ONCE: Final = 5  # fifty a second


class Load:
    """Enqueues until the block ends: most for at once, some for later, some of which one may be active at a time."""

    def __init__(self, stage: Stage, definition: str, **payload: Json) -> None:
        self._stage = stage
        self._definition = definition
        self._payload = payload
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(30)

    def _run(self) -> None:
        while not self._stopped.wait(EVERY_SECONDS):
            self._enqueue(AT_ONCE - 2)
            self._enqueue(1, delay_seconds=0.5)
            self._enqueue(1, dedupe_key="one at a time")

    def _enqueue(self, times: int, *, delay_seconds: float | None = None, dedupe_key: str | None = None) -> None:
        self._stage.enqueue(
            self._definition,
            times,
            max_attempts=3,
            delay_seconds=delay_seconds,
            dedupe_key=dedupe_key,
            timeout_seconds=None,
            **self._payload,
        )
