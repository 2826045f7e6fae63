"""The workers that serve queues, as they register."""

from __future__ import annotations

from typing import Final

from jobplane.core import bounds
from jobplane.core.decoding import Reader, document, optional, texts
from jobplane.core.errors import UnknownQueue
from jobplane.core.model import Worker
from jobplane.core.paging import Page
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.verbs.engine import DeregisterWorker, RegisterWorker, SeeWorker, WantWork
from jobplane.store.verbs.operator import ListWorkers

_BACK: Final = 1000
_worker: Final = Reader(
    Worker,
    queues=texts,
    definitions=optional(texts),
    metadata=document,
    started_at=instant,
    last_seen_at=instant,
    live=bool,
)


def want_work(db: Conn, _: Moment, verb: WantWork) -> dict[str, int]:
    bounds.whole("seconds", verb.seconds)
    return dict(
        db.rows(statements.load_verb("want_work")["find"], (batch(checks.texts("a queue's name", verb.queues)),))
    )


def register_worker(db: Conn, moment: Moment, verb: RegisterWorker) -> None:
    worker = verb.worker
    queues = batch(checks.texts("a queue's name", worker.queues))
    keys = checks.texts_or_none("a definition's key", worker.definitions)
    values = (
        checks.text("worker_id", worker.worker_id, 1, 200),
        checks.text("hostname", worker.hostname),
        checks.whole_or_none("pid", worker.pid, -bounds.INT),
        checks.text("version", worker.version),
        queues,
        None if keys is None else batch(keys),
        bounds.whole("slots", worker.slots),
        encode_document(worker.metadata, "metadata"),
    )
    if unknown := db.rows(statements.load_verb("register_worker")["unknown"], (queues,)):
        raise UnknownQueue(f"there is no queue {unknown[0][0]!r}: put_queues makes it")
    db.rows(statements.load_verb("register_worker")["upsert"], (*values, moment.now, moment.now))
    for gate, key in db.rows(statements.load_verb("register_worker")["held"], ()):
        if keys is None or key in keys:
            gates.release(db, gate, _BACK)


def see_worker(db: Conn, moment: Moment, verb: SeeWorker) -> bool:
    sql = statements.load_verb("see_worker")
    worker_id = checks.text("worker_id", verb.worker_id)
    values = (moment.now, bounds.whole("running_count", verb.running_count), worker_id)
    if not any(gates.worker(*row) for row in db.rows(sql["serves"], (worker_id,))):
        return False
    return bool(db.rows(sql["see"], values))


def deregister_worker(db: Conn, _: Moment, verb: DeregisterWorker) -> bool:
    return bool(
        db.rows(statements.load_verb("deregister_worker")["delete"], (checks.text("worker_id", verb.worker_id),))
    )


def list_workers(db: Conn, moment: Moment, verb: ListWorkers) -> Page[Worker, str]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    rows = db.rows(statements.load_verb("list_workers")["list"], (moment.now - gates.LIVE, most))
    return Page([_worker(row) for row in rows])
