"""Replies to requests that may be repeated."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.decoding import texts
from jobplane.core.errors import IdempotencyMismatch, Invalid, TenantNotFound
from jobplane.core.ids import new_ids
from jobplane.core.model import Reserved
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import Moment
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.moves import tenant_no
from jobplane.store.verbs.replies import ReserveReply, SaveReply

_MOST_JOBS: Final = 1000
_LONGEST_FINGERPRINT: Final = 64


def reserve_reply(db: Conn, moment: Moment, verb: ReserveReply) -> Reserved:
    count = bounds.whole("count", verb.count, 0, _MOST_JOBS)
    number, operation, key = _request(db, verb)
    fingerprint = _fingerprint(verb.fingerprint)
    if not number:
        raise TenantNotFound(f"There is no tenant {verb.tenant}.")
    rows = db.rows(statements.load_verb("reserve_reply")["find"], (number, operation, key))
    if not rows:
        ids = new_ids(count)
        values = (number, operation, key, fingerprint, batch(ids), moment.now)
        db.rows(statements.load_verb("reserve_reply")["insert"], values)
        return Reserved([UUID(job_id) for job_id in ids], True, None, None)
    before, ids, status, body = rows[0]
    if before != fingerprint:
        message = f'The idempotency key "{key}" was used for another request. Use a new key for a new request.'
        raise IdempotencyMismatch(message)
    return Reserved([UUID(job_id) for job_id in texts(ids)], False, status, body)


def save_reply(db: Conn, _: Moment, verb: SaveReply) -> bool:
    status = bounds.whole("status", verb.status, 100, 599)
    body = None if verb.body is None else checks.text("body", verb.body)
    return bool(db.rows(statements.load_verb("save_reply")["save"], (status, body, *_request(db, verb))))


def _request(db: Conn, verb: ReserveReply | SaveReply) -> tuple[int, str, str]:
    operation = checks.text("operation", verb.operation, 1, 100)
    return tenant_no(db, verb.tenant), operation, checks.text("key", verb.key, 1, 255)


def _fingerprint(value: object) -> bytes:
    if not isinstance(value, bytes) or not 1 <= len(value) <= _LONGEST_FINGERPRINT:
        raise Invalid(f"A fingerprint must have 1 to {_LONGEST_FINGERPRINT} bytes.")
    return value
