"""A store that times each call and records its outcome at the connection."""

from __future__ import annotations

import time
from typing import TypeVar

from jobplane.core.actors import Actor
from jobplane.core.errors import Invalid, JobplaneError, StoreBusy, StoreUnavailable
from jobplane.process.contact import CallRefused, Connection, ConnectionLost
from jobplane.store.base import AsyncConn
from jobplane.store.verbs.verb import Verb
from jobplane.store.worker import WorkerStore

T = TypeVar("T")


class AskingStore:
    """A worker's store on one connection of its process. An outage is StoreUnavailable, a lock or a race StoreBusy."""

    def __init__(self, connection: Connection, store: WorkerStore) -> None:
        self._connection = connection
        self._store = store

    async def run(self, verb: Verb[T], *, conn: AsyncConn | None = None, actor: Actor | None = None) -> T:
        """The verb's answer. The process itself asks: there is no transaction of a caller, and no other actor."""
        if conn is not None or actor is not None:
            raise TypeError("A daemon uses its own connection and its own actor. Leave out conn and actor.")
        asked_at = time.monotonic()
        try:
            return await self._connection.ask(self._store.run(verb))
        except ConnectionLost as error:
            raise self._reason(error, asked_at) from None
        except CallRefused as error:
            cause = error.__cause__
            raise (cause if isinstance(cause, JobplaneError) else Invalid(str(error))) from error

    def _reason(self, error: ConnectionLost, asked_at: float) -> JobplaneError:
        """A lock, a right that is missing or a call that takes too long is no outage: other calls go on."""
        cause = error.__cause__
        if isinstance(cause, JobplaneError) and not isinstance(cause, StoreUnavailable):
            return cause
        return (StoreUnavailable if self._connection.is_alone_since(asked_at) else StoreBusy)(str(error))
