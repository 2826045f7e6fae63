"""The PostgreSQL store as a worker's supervisor uses it: all verbs of the worker's login on one connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from jobplane.core.errors import JobplaneError
from jobplane.core.lines import End, Reaped, Renewal, Taken, Ticket, Unsettled
from jobplane.store.base import AsyncConn
from jobplane.store.postgres.calls import worker
from jobplane.store.postgres.calls.call import Answer, Call, Role, Rows, nothing
from jobplane.store.postgres.errors import translated
from jobplane.store.postgres.one import Admission, OneConnection
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore

DEADLINE_SECONDS: Final = 10.0


class PostgresLineStore(PostgresStore):
    """The store of `jobplane.store.lines.LineStore` on PostgreSQL."""

    def __init__(
        self,
        settings: Settings,
        admission: Admission | None = None,
        *,
        line: OneConnection | None = None,
        deadline_seconds: float = DEADLINE_SECONDS,
        is_patient: bool = False,
    ) -> None:
        """`line`: one that another store uses too; there the calls of a patient one come after those of the other."""
        super().__init__(settings)
        self._line = line or OneConnection(settings, admission or Admission(settings, "worker"))
        self._deadline = deadline_seconds
        self._is_patient = is_patient

    async def close(self) -> None:
        await self._line.close()

    async def check(self, role: Role = "worker") -> None:
        await self._run(Call(role, "select 1", (), nothing))

    async def _run(self, call: Call[Answer], lent: AsyncConn | None = None) -> Answer:
        if lent is not None:
            return await self._run_lent(call, lent)
        try:
            with translated():
                rows = await self._line.rows(call, self._deadline, is_patient=self._is_patient)
        except JobplaneError as error:
            return call.refused(error)
        return call.read(rows)

    async def claim_lines(
        self,
        queue: str,
        worker_id: str,
        *,
        limit: int,
        lease_seconds: int,
        soon: Callable[[Taken], None] | None = None,
    ) -> Taken:
        call = worker.claim_lines(queue, worker_id, limit, lease_seconds)
        if soon is None:
            return await self._run(call)
        foreseen: list[Taken] = []

        def told(rows: Rows) -> None:
            foreseen.append(call.read(rows))
            soon(foreseen[0])

        def read(rows: Rows) -> Taken:
            return foreseen[0] if foreseen else call.read(rows)

        return await self._run(replace(call, soon=told, read=read))

    async def renew_all(
        self,
        tickets: Sequence[Ticket],
        *,
        lease_seconds: int,
        begun: Sequence[int] = (),
        progress: Mapping[int, tuple[float | None, str | None]] | None = None,
    ) -> list[Renewal]:
        return await self._run(worker.renew_all(tickets, lease_seconds, begun, progress or {}))

    async def settle_all(self, ends: Sequence[End | Ticket], *, max_interruptions: int = 20) -> list[Unsettled]:
        return await self._run(worker.settle_all(ends, max_interruptions))

    async def reap_all(self, *, limit: int = 500) -> list[Reaped]:
        return await self._run(worker.reap_all(limit))
