"""Register the worker with its definitions and queues, and report every few seconds that it is alive."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from typing import Final

import orjson

from jobplane import __version__
from jobplane.core.definitions import SyncedDefinition
from jobplane.core.model import Document, Json, NewWorker, Worker
from jobplane.process.contact import Connection
from jobplane.store.verbs.engine import DeregisterWorker, PutQueues, RegisterWorker, SeeWorker, SyncDefinitions
from jobplane.store.verbs.operator import ListDefinitions, ListWorkers
from jobplane.store.worker import WorkerStore
from jobplane.worker.allowlist import Allowlist
from jobplane.worker.journal import Journal
from jobplane.worker.settings import WorkerSettings

SEEN_SECONDS: Final = 5.0
PAGE: Final = 500
WORKERS: Final = 1000
NAMED: Final = 20  # definitions in a line of the log
_SERVED: Final = frozenset({"queues", "definitions"})
_TOLD: Final = {"kept": "warning", "deleted_from_code": "warning", "restored": "info"}


@dataclass(frozen=True, slots=True)
class AppVersion:
    """The name and version of the app whose code has a definition."""

    app: str = ""
    version: str = ""


class Registration:
    """`documents` are the definitions of the executors by key, `apps` their apps."""

    def __init__(
        self,
        connection: Connection,
        store: WorkerStore,
        journal: Journal,
        settings: WorkerSettings,
        documents: Mapping[str, Document],
        running: Callable[[], int],
        apps: Mapping[str, AppVersion] | None = None,
        allowlist: Allowlist | None = None,
    ) -> None:
        self._connection = connection
        self._store = store
        self._journal = journal
        self._settings = settings
        self._documents = documents
        self._running = running
        self._draining = asyncio.Event()
        self._apps = apps or {}
        self._allowlist = allowlist or Allowlist(None, journal.log_event)
        self._registered: NewWorker | None = None
        self._taken: frozenset[str] = frozenset()  # documents whose definitions are commands now
        self.queues: dict[str, int] = dict(settings.queues)  # what the worker serves, with weights

    async def introduce(self) -> None:
        """Put the queues and definitions into the database, then register the worker."""
        await self._allowlist.refresh(self._store.run)
        self._serve_commands()
        await self._store.run(PutQueues(self._queues()))
        for named, documents in self._by_app(self._documents).items():
            report = await self._store.run(SyncDefinitions(named.app, named.version, documents))
            self._tell(named, report)
        worker = self._worker()
        await self._store.run(RegisterWorker(worker))
        self._registered = worker

    def _serve_commands(self) -> None:
        """Serve also the queues of the commands, unless the queues were named."""
        if not self._settings.config.worker_queues:
            self.queues |= {name: 1 for name in self._allowlist.queues if name not in self.queues}
        if self._settings.commands and not self.queues:
            self.queues["default"] = 1

    def _by_app(self, keys: Iterable[str]) -> dict[AppVersion, list[Document]]:
        found: dict[AppVersion, list[Document]] = {}
        for key in keys:
            found.setdefault(self._apps.get(key, AppVersion()), []).append(self._documents[key])
        return found

    def _tell(self, named: AppVersion, report: Sequence[SyncedDefinition]) -> None:
        """Log the definitions that differ from this worker's code."""
        for outcome, level in _TOLD.items():
            if keys := [done.key for done in report if done.outcome == outcome]:
                self._journal.log_event(
                    f"definitions_{outcome}",
                    level=level,
                    app=named.app,
                    version=named.version,
                    definitions=keys[:NAMED],
                )
        if left := {done.key: done.left_alone for done in report if done.left_alone}:
            self._journal.log_event(
                "definitions_overridden", app=named.app, definitions=dict(islice(left.items(), NAMED))
            )

    async def step(self) -> None:
        await self.look(self._connection, self._store)
        if self._draining.is_set():
            await asyncio.sleep(SEEN_SECONDS)
        else:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._draining.wait(), SEEN_SECONDS)

    def drain(self) -> None:
        """Report to the database, at once and from now on, that this worker is stopping."""
        self._draining.set()

    async def look(self, connection: Connection, store: WorkerStore) -> None:
        """Report that the worker is alive. Register again if the database has forgotten it, or its commands changed.

        The commands are compared each time: a definition may have changed between the comparison and the registration.
        """
        await self._allowlist.refresh(lambda verb: connection.ask(store.run(verb)))
        self._serve_commands()
        seen = store.run(SeeWorker(self._settings.worker_id, self._running(), self._draining.is_set()))
        if not await connection.ask(seen) or self._worker() != self._registered:
            await self._again(connection, store)

    def has(self, key: str) -> bool:
        """Whether the executors knew this definition at the start."""
        return key in self._documents

    def _known(self) -> frozenset[str]:
        """The definitions that this worker runs."""
        return self._allowlist.ready | (self._documents.keys() - self._taken)

    async def is_beside_others(self, connection: Connection, store: WorkerStore) -> bool:
        """Whether a live worker of the same queues knows a definition that this one does not."""
        workers = await connection.ask(store.run(ListWorkers(limit=WORKERS)))
        return any(worker.live and self._is_other(worker) for worker in workers.items)

    def _is_other(self, worker: Worker) -> bool:
        if not _SERVED.isdisjoint(worker.undecodable):  # it registers again soon
            return False
        is_near = not self.queues.keys().isdisjoint(worker.queues)
        return is_near and (worker.definitions is None or not self._known() >= set(worker.definitions))

    async def _again(self, connection: Connection, store: WorkerStore) -> None:
        """Register again, with missing queues and definitions. Those that exist may be newer, and stay."""
        for queue in await connection.ask(store.run(PutQueues(self._queues()))):
            self._journal.log_event("queue_missing", level="warning", queue=queue)
        if missing := await self._find_missing(connection, store):
            for named, documents in self._by_app(missing).items():
                sync = SyncDefinitions(named.app, named.version, documents, whole=False)
                await connection.ask(store.run(sync))
        worker = self._worker()
        await connection.ask(store.run(RegisterWorker(worker)))
        self._registered = worker
        self._journal.log_event("registered_again")

    async def _find_missing(self, connection: Connection, store: WorkerStore) -> list[str]:
        keys = sorted(self._documents)
        found: dict[str, str | None] = {}
        for at in range(0, len(keys), PAGE):
            page = await connection.ask(store.run(ListDefinitions(keys[at : at + PAGE], limit=PAGE)))
            found |= {known.key: known.kind for known in page.items}
        self._leave_to_commands({key for key, kind in found.items() if kind == "command"})
        return [key for key in keys if key not in found]

    def _leave_to_commands(self, keys: Set[str]) -> None:
        """Take note of handlers whose definitions are commands now: the database gives them no jobs."""
        if new := sorted(keys - self._taken):
            self._journal.log_event("definitions_taken", level="warning", definitions=new[:NAMED])
        self._taken = frozenset(keys)

    def _queues(self) -> list[str]:
        named = {str(document["queue"]) for document in self._documents.values()}
        return sorted(named | self.queues.keys())

    async def leave(self) -> None:
        await self._connection.ask(self._store.run(DeregisterWorker(self._settings.worker_id)))

    def _worker(self) -> NewWorker:
        told = self._settings
        return NewWorker(
            worker_id=told.worker_id,
            queues=list(self.queues),
            definitions=sorted(self._documents),
            commands=sorted(self._allowlist.ready),
            mismatched=self._allowlist.mismatched,
            hostname=socket.gethostname(),
            pid=os.getpid(),
            version=__version__,
            slots=told.slots,
            metadata=self._metadata(),
        )

    def _metadata(self) -> dict[str, Json]:
        hashes = {key: fingerprint(document) for key, document in self._documents.items()}
        told: dict[str, Json] = {"name": self._settings.name, "processes": self._settings.processes}
        if self._settings.commands:
            told |= {"commands": self._settings.commands, "policy": self._allowlist.describe()}
        return {**told, "definition_hashes": hashes}


def fingerprint(document: Document) -> str:
    """A hash that is equal for equal definitions."""
    return sha256(orjson.dumps(document, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
