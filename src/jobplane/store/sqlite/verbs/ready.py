"""has_ready: whether jobs are ready that a worker may run."""

from __future__ import annotations

from typing import Final

from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment
from jobplane.store.verbs.engine import HasReady

_SQL: Final = statements.load_verb("has_ready")


def has_ready(db: Conn, moment: Moment, verb: HasReady) -> bool:
    """None is ever locked here: who has the file's lock keeps the claim itself waiting."""
    worker_id = checks.text("worker_id", verb.worker_id)
    lanes = db.rows(_SQL["lanes"], (worker_id,))
    return any(db.rows(_SQL["ready"], (*lane, worker_id, moment.now)) for lane in lanes)
