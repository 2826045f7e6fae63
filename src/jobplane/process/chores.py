"""The upkeep that every worker does: what came due is made ready, and what the dead have left is ended."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar, cast

from jobplane.control.upkeep import BUSY_SECONDS, CALM_SECONDS, Upkeep
from jobplane.core.errors import StoreUnavailable
from jobplane.core.leases import Reaped
from jobplane.core.traces import trace_id
from jobplane.process.asking import AskingStore
from jobplane.process.contact import Connection, ConnectionLost
from jobplane.process.events import EventLog
from jobplane.store.verbs.engine import Reap, WakeIdle
from jobplane.store.verbs.verb import EngineVerb
from jobplane.store.worker import WorkerStore

T = TypeVar("T")
_CHORES: Final[dict[type, str]] = {WakeIdle: "wake"}
_NAMED: Final = 100  # reaped attempts of one call that get a connection of their own


class Chores:
    """A store for the upkeep. Each call is timed alone: a long list of chores is not a dead connection.

    `vacuum` clears the hot tables, where the process has a login that may.
    """

    def __init__(
        self,
        connection: Connection,
        store: WorkerStore,
        events: EventLog,
        by: str,
        *,
        lease_seconds: int,
        listens: bool,
        vacuum: Callable[[], Awaitable[object]] | None = None,
    ) -> None:
        self._store = AskingStore(connection, store)
        self._events = events
        self._by = by
        calm_seconds = CALM_SECONDS if listens else BUSY_SECONDS
        self._upkeep = Upkeep(self, by=by, vacuum=vacuum, lease_seconds=lease_seconds, calm_seconds=calm_seconds)

    async def step(self) -> None:
        try:
            await self._upkeep.run_once()
        except StoreUnavailable as error:
            raise ConnectionLost(str(error)) from error
        await asyncio.sleep(self._upkeep.pause)

    async def run(self, verb: EngineVerb[T]) -> T:
        answer = await self._store.run(verb)
        if answer and isinstance(verb, Reap):
            log_reaped(self._events, cast("list[Reaped]", answer), self._by)
        elif answer and isinstance(answer, int):
            self._events.log_step("upkeep", chore=_CHORES.get(type(verb), type(verb).__name__.lower()), rows=answer)
        return answer


def log_reaped(events: EventLog, attempts: Sequence[Reaped], by: str) -> None:
    """How many attempts of lost workers were ended, and which, up to a number that a log can bear."""
    events.log_event("leases_reaped", level="warning", attempts=len(attempts), named=min(len(attempts), _NAMED))
    for attempt in attempts[:_NAMED]:
        facts = attempt._asdict() | {"job_id": str(attempt.job_id), "tenant_id": str(attempt.tenant_id)}
        if not attempt.undecodable:
            del facts["undecodable"]
        trace = trace_id(facts["job_id"], facts.pop("trace_context"))
        more = {"trace_id": trace, "duration_ms": attempt.held_ms, "reaped_by": by}
        events.log_event("attempt_reaped", level="warning", **facts, **more)
