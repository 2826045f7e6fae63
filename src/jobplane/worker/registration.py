"""The worker in the database: its definitions and queues before it starts, and a sign of life every few seconds."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Final

import orjson

from jobplane import __version__
from jobplane.core.model import Document, Json, NewWorker, Worker
from jobplane.process.contact import Connection
from jobplane.store.verbs.engine import DeregisterWorker, PutDefinitions, PutQueues, RegisterWorker, SeeWorker
from jobplane.store.verbs.operator import ListDefinitions, ListWorkers
from jobplane.store.worker import WorkerStore
from jobplane.worker.journal import Journal
from jobplane.worker.settings import WorkerSettings

SEEN_SECONDS: Final = 5.0
PAGE: Final = 500
WORKERS: Final = 1000
_SERVED: Final = frozenset({"queues", "definitions"})


class Registration:
    """`documents` are the definitions that the executors know, by key."""

    def __init__(
        self,
        connection: Connection,
        store: WorkerStore,
        journal: Journal,
        settings: WorkerSettings,
        documents: Mapping[str, Document],
        running: Callable[[], int],
    ) -> None:
        self._connection = connection
        self._store = store
        self._journal = journal
        self._settings = settings
        self._documents = documents
        self._running = running

    async def introduce(self) -> None:
        """Bring queues and definitions into the database, then oneself."""
        await self._store.run(PutQueues(self._queues()))
        if self._documents:
            await self._store.run(PutDefinitions(list(self._documents.values())))
        await self._store.run(RegisterWorker(self._worker()))

    async def step(self) -> None:
        await self.look(self._connection, self._store)
        await asyncio.sleep(SEEN_SECONDS)

    async def look(self, connection: Connection, store: WorkerStore) -> None:
        """Say that the worker is alive. A worker that the database has forgotten registers again."""
        seen = store.run(SeeWorker(self._settings.worker_id, running_count=self._running()))
        if not await connection.ask(seen):
            await self._again(connection, store)

    def has(self, key: str) -> bool:
        """Whether the executors knew it at the start."""
        return key in self._documents

    async def is_beside_others(self, connection: Connection, store: WorkerStore) -> bool:
        """Whether a live worker of the same queues knows a definition that this one does not."""
        workers = await connection.ask(store.run(ListWorkers(limit=WORKERS)))
        return any(worker.live and self._is_other(worker) for worker in workers.items)

    def _is_other(self, worker: Worker) -> bool:
        if not _SERVED.isdisjoint(worker.undecodable):  # it registers again soon
            return False
        is_near = not self._settings.queues.keys().isdisjoint(worker.queues)
        return is_near and (worker.definitions is None or not self._documents.keys() >= set(worker.definitions))

    async def _again(self, connection: Connection, store: WorkerStore) -> None:
        """A database that has forgotten the worker may have forgotten more; what is there may be newer, and stays."""
        for queue in await connection.ask(store.run(PutQueues(self._queues()))):
            self._journal.log_event("queue_missing", level="warning", queue=queue)
        if missing := await self._find_missing(connection, store):
            await connection.ask(store.run(PutDefinitions(missing)))
        await connection.ask(store.run(RegisterWorker(self._worker())))
        self._journal.log_event("registered_again")

    async def _find_missing(self, connection: Connection, store: WorkerStore) -> list[Document]:
        keys = sorted(self._documents)
        found: set[str] = set()
        for at in range(0, len(keys), PAGE):
            page = await connection.ask(store.run(ListDefinitions(keys[at : at + PAGE], limit=PAGE)))
            found |= {known.key for known in page.items}
        return [self._documents[key] for key in keys if key not in found]

    def _queues(self) -> list[str]:
        named = {str(document["queue"]) for document in self._documents.values()}
        return sorted(named | self._settings.queues.keys())

    async def leave(self) -> None:
        await self._connection.ask(self._store.run(DeregisterWorker(self._settings.worker_id)))

    def _worker(self) -> NewWorker:
        told = self._settings
        return NewWorker(
            worker_id=told.worker_id,
            queues=list(told.queues),
            definitions=sorted(self._documents),
            hostname=socket.gethostname(),
            pid=os.getpid(),
            version=__version__,
            slots=told.slots,
            metadata=self._metadata(),
        )

    def _metadata(self) -> dict[str, Json]:
        hashes = {key: fingerprint(document) for key, document in self._documents.items()}
        return {"name": self._settings.name, "processes": self._settings.processes, "definition_hashes": hashes}


def fingerprint(document: Document) -> str:
    """The same for the same definition, wherever it was imported."""
    return sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
