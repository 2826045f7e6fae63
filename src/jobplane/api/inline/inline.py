"""Run due jobs in the calling process, one after another."""

from __future__ import annotations

import asyncio
import math
import os
import socket
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Self
from uuid import uuid4

from jobplane.api.inline.calls import call, call_async
from jobplane.api.inline.lines import LEASE_SECONDS, BlockingLine, ThreadLine
from jobplane.api.inline.renewing import kept, log
from jobplane.api.inline.run import prepare
from jobplane.control.immediate import Immediate, finish
from jobplane.control.upkeep import Upkeep
from jobplane.core.errors import Invalid
from jobplane.core.model import Lease, NewWorker, Settlement
from jobplane.execution import endings
from jobplane.execution.capture import capturing
from jobplane.store.base import BlockingStore
from jobplane.store.verbs.engine import Claim, DeregisterWorker, RegisterWorker, Release, Settle

if TYPE_CHECKING:
    from jobplane.api.plane import Plane

# A claim looks at ten rows for each that it is asked for. Where these are jobs of another live worker,
# which it passes over, it has to look further to find one of ours; what it takes too many goes back.
LOOKS: Final = (1, 1, 1, 10, 100, 1000)
BUSY_SECONDS: Final = 0.05
BUSY_TRIES: Final = 100


class Inline:
    """A worker of this thread: it knows this program's definitions, and takes no other jobs."""

    def __init__(self, plane: Plane, store: BlockingStore, queues: Sequence[str]) -> None:
        self._plane = plane
        self._store = store
        self._upkeep = Upkeep(Immediate(store))
        self._worker = worker_of(plane, queues)
        self._runner: asyncio.Runner | None = None

    def __enter__(self) -> Self:
        if self._plane.needs_loop and asyncio_is_running():
            raise Invalid("an event loop is running here: say await jp.run_once_async() or await jp.drain_async()")
        self._hook(self._plane.hooks.start)
        self._store.run(RegisterWorker(self._worker))
        return self

    def __exit__(self, *_: object) -> None:
        self._hook(self._plane.hooks.stop)
        if self._runner is not None:
            self._runner.run(self._plane.aclose())
            self._runner.close()
        self._store.run(DeregisterWorker(self._worker.worker_id))

    def _hook(self, run: Callable[[], Coroutine[None, None, None]]) -> None:
        """Hooks that all are `def` need no event loop."""
        if self._plane.hooks.needs_loop:
            self._loop().run(run())
        else:
            finish(run())

    def round(self, limit: int | None = None) -> int:
        """Upkeep, then what is due; how many jobs ran."""
        finish(self._upkeep.all())
        ran = 0
        with capturing():
            for lease in self._leases(limit):
                self._settle(self._run(lease))
                ran += 1
        return ran

    def _leases(self, limit: int | None) -> Iterator[Lease]:
        """One lease at a time: the next is taken when this one has ended."""
        left = math.inf if limit is None else limit
        for queue in self._worker.queues:
            while left > 0 and (lease := self._claim(queue)):
                left -= 1
                yield lease

    def _claim(self, queue: str) -> Lease | None:
        for limit in LOOKS:
            claimed = self._store.run(Claim(queue, self._worker.worker_id, limit=limit, lease_seconds=LEASE_SECONDS))
            if surplus := claimed.leases[1:]:
                self._store.run(Release(surplus, reason="unstarted"))
            if claimed.leases or not claimed.more:
                return claimed.leases[0] if claimed.leases else None
        return None

    def _run(self, lease: Lease) -> Settlement:
        handler = self._plane.handler(lease.definition_key)
        line = ThreadLine(self._store, lease) if handler.is_async else BlockingLine(self._store, lease)
        try:
            run = prepare(handler, lease, line, worker=self._worker.worker_id, artifacts=self._plane.artifacts)
        except Exception as error:  # noqa: BLE001 a type's own validator may raise anything
            return endings.unfit(error).settles(lease)
        try:
            with kept(self._store, lease, run.desk):
                return self._loop().run(call_async(run)) if handler.is_async else call(run)
        except KeyboardInterrupt:
            self._store.run(Release([lease]))
            raise

    def _loop(self) -> asyncio.Runner:
        if self._runner is None:
            self._runner = asyncio.Runner()
        return self._runner

    def _settle(self, settlement: Settlement) -> None:
        for _ in range(BUSY_TRIES):
            try:
                [answer] = self._store.run(Settle([settlement]))
            except Invalid as error:
                settlement = endings.unsettled(settlement, error)
                continue
            if answer.accepted is not None:
                break
            time.sleep(BUSY_SECONDS)
        else:
            answer = None
        warn_unless_accepted(settlement, accepted=answer is not None and answer.accepted is True)


def asyncio_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def warn_unless_accepted(settlement: Settlement, *, accepted: bool) -> None:
    if not accepted:
        lease = settlement.lease
        log.warning("job %s: its attempt %s was no longer ours when it ended", lease.job_id, lease.attempt_no)


def worker_of(plane: Plane, queues: Sequence[str]) -> NewWorker:
    """A worker for as long as the call lasts."""
    host = socket.gethostname()[:100]
    return NewWorker(
        worker_id=f"inline-{host}-{os.getpid()}-{uuid4().hex[:8]}",
        queues=queues,
        definitions=plane.keys,
        hostname=host,
        pid=os.getpid(),
        version=plane.version,
        slots=1,
    )
