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
from jobplane.core.model import Document, Json, NewWorker
from jobplane.store.lines import LineStore
from jobplane.worker.contact import Line
from jobplane.worker.journal import Journal
from jobplane.worker.settings import WorkerSettings

SEEN_SECONDS: Final = 5.0


class Registration:
    """`documents` are the definitions that the executors know, by key."""

    def __init__(
        self,
        line: Line,
        store: LineStore,
        journal: Journal,
        settings: WorkerSettings,
        documents: Mapping[str, Document],
        running: Callable[[], int],
    ) -> None:
        self._line = line
        self._store = store
        self._journal = journal
        self._settings = settings
        self._documents = documents
        self._running = running

    async def introduce(self) -> None:
        """Bring queues and definitions into the database, then oneself."""
        named = {str(document["queue"]) for document in self._documents.values()}
        await self._store.put_queues(sorted(named | self._settings.queues.keys()))
        if self._documents:
            await self._store.put_definitions(list(self._documents.values()))
        await self._store.register_worker(self._worker())

    async def step(self) -> None:
        """Say that one is alive; who has been forgotten meanwhile registers again."""
        seen = self._store.see_worker(self._settings.worker_id, running_count=self._running())
        if not await self._line.ask(seen):
            await self._line.ask(self._store.register_worker(self._worker()))
            self._journal.event("registered_again")
        await asyncio.sleep(SEEN_SECONDS)

    async def leave(self) -> None:
        await self._line.ask(self._store.deregister_worker(self._settings.worker_id))

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
