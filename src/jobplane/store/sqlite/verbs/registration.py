"""The workers that serve queues, as they register."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from jobplane.core import bounds
from jobplane.core.decoding import Reader, document, optional, texts
from jobplane.core.errors import Invalid, UnknownQueue, WorkerIsLive, WorkerNotFound
from jobplane.core.model import Worker
from jobplane.core.paging import Page
from jobplane.core.payload import encode_document
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment, instant
from jobplane.store.sqlite.verbs import gates
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.audit import audit
from jobplane.store.verbs.engine import DeregisterWorker, RegisterWorker, SeeWorker, WantWork
from jobplane.store.verbs.operator import DeleteWorker, ListWorkers

_BACK: Final = 1000
_worker: Final = Reader(
    Worker,
    queues=texts,
    definitions=optional(texts),
    metadata=document,
    mismatched=texts,
    outdated=bool,
    started_at=instant,
    last_seen_at=instant,
    live=bool,
    draining=bool,
    oldest_lease_at=instant,
)


def want_work(db: Conn, _: Moment, verb: WantWork) -> dict[str, int]:
    bounds.whole("seconds", verb.seconds)
    return dict(db.rows(statements.load_verb("want_work")["find"], (batch(checks.texts("queue name", verb.queues)),)))


def register_worker(db: Conn, moment: Moment, verb: RegisterWorker) -> None:
    worker = verb.worker
    queues = batch(checks.texts("queue name", worker.queues))
    handled = checks.texts_or_none("definition key", worker.definitions)
    allowed = checks.texts("definition key", worker.commands)
    mismatched = checks.texts("definition key", worker.mismatched)
    keys = None if handled is None else _known(db, handled, allowed)
    values = (
        checks.text("worker_id", worker.worker_id, 1, 200),
        checks.text("hostname", worker.hostname),
        checks.whole_or_none("pid", worker.pid, -bounds.INT),
        checks.text("version", worker.version),
        queues,
        None if keys is None else batch(keys),
        bounds.whole("slots", worker.slots),
        encode_document(worker.metadata, "metadata"),
        batch(mismatched),
    )
    if unknown := db.rows(statements.load_verb("register_worker")["unknown"], (queues,)):
        raise UnknownQueue(f'There is no queue "{unknown[0][0]:.200}". Check the spelling, or create it first.')
    db.rows(statements.load_verb("register_worker")["upsert"], (*values, moment.now, moment.now))
    known = None if keys is None else frozenset(keys)
    served = gates.LiveWorker(frozenset(worker.queues), known, frozenset(mismatched))
    for gate, key, kind in db.rows(statements.load_verb("register_worker")["held"], ()):
        if served.knows(key, kind) or served.differs(key, kind):  # of a mismatch the claim gives the reason
            gates.release(db, gate, _BACK)


def _known(db: Conn, handled: Sequence[str], allowed: Sequence[str]) -> list[str]:
    """The definitions that a worker runs: commands by its policy, the others by its handlers."""
    given = dict.fromkeys([*handled, *allowed])
    rows = db.rows(statements.load_verb("register_worker")["commands"], (batch(given),))
    commands = {row[0] for row in rows}
    return [key for key in given if key in (allowed if key in commands else handled)]


def see_worker(db: Conn, moment: Moment, verb: SeeWorker) -> bool:
    sql = statements.load_verb("see_worker")
    worker_id = checks.text("worker_id", verb.worker_id)
    values = (moment.now, bounds.whole("running_count", verb.running_count), _flag(verb.draining), worker_id)
    if not any(gates.worker(*row) for row in db.rows(sql["serves"], (worker_id,))):
        return False
    return bool(db.rows(sql["see"], values))


def _flag(draining: object) -> int | None:
    if draining is not None and not isinstance(draining, bool):
        raise Invalid(f"The draining must be true, false or none, not {type(draining).__name__}.")
    return draining


def deregister_worker(db: Conn, _: Moment, verb: DeregisterWorker) -> bool:
    return bool(
        db.rows(statements.load_verb("deregister_worker")["delete"], (checks.text("worker_id", verb.worker_id),))
    )


def list_workers(db: Conn, moment: Moment, verb: ListWorkers) -> Page[Worker, str]:
    most = min(max(bounds.whole("limit", verb.limit), 1), 1000)
    now = moment.now
    rows = db.rows(statements.load_verb("list_workers")["list"], (now - gates.LIVE, now, now, most))
    return Page([_worker(row) for row in rows])


def delete_worker(db: Conn, moment: Moment, verb: DeleteWorker) -> None:
    worker_id = checks.text("worker_id", verb.worker_id)
    rows = db.rows(statements.load_verb("delete_worker")["find"], (moment.now - gates.LIVE, worker_id))
    if not rows:
        raise WorkerNotFound(f'There is no worker "{worker_id}".')
    hostname, is_live = rows[0]
    if is_live:
        message = f'Cannot delete worker "{worker_id}": it was seen within the last minute. Stop it first.'
        raise WorkerIsLive(message)
    db.rows(statements.load_verb("deregister_worker")["delete"], (worker_id,))
    audit(db, moment, "deleteWorker", None, [worker_id], facts={"hostname": hostname})
