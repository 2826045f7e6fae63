"""The PostgreSQL store as a worker's supervisor uses it: all verbs of the worker's login on one connection."""

from __future__ import annotations

from typing import Final

from jobplane.core.errors import JobplaneError
from jobplane.store.postgres.calls.call import Answer, Call, Role, nothing
from jobplane.store.postgres.errors import translate_errors
from jobplane.store.postgres.logins import name_setting
from jobplane.store.postgres.one import Admission, OneConnection
from jobplane.store.postgres.settings import Settings
from jobplane.store.postgres.store import PostgresStore

DEADLINE_SECONDS: Final = 10.0


class PostgresWorkerStore(PostgresStore):
    """The store of `jobplane.store.worker.WorkerStore` on PostgreSQL."""

    def __init__(
        self,
        settings: Settings,
        admission: Admission | None = None,
        *,
        connection: OneConnection | None = None,
        role: Role = "worker",
        deadline_seconds: float = DEADLINE_SECONDS,
        is_patient: bool = False,
    ) -> None:
        """`connection`: one that another store uses too; there the calls of a patient store come last."""
        super().__init__(settings)
        self._connection = connection or OneConnection(settings, admission or Admission(settings, role))
        self._role: Role = role
        self._deadline = deadline_seconds
        self._is_patient = is_patient

    async def close(self) -> None:
        await self._connection.close()

    async def check(self, role: Role | None = None) -> None:
        await self._run(Call(role or self._role, "select 1", (), nothing))

    async def _run(self, call: Call[Answer]) -> Answer:
        try:
            with translate_errors():
                rows = await self._connection.rows(call, self._deadline, is_patient=self._is_patient)
        except JobplaneError as error:
            return call.refused(name_setting(error, self._role))
        return call.read(rows)
