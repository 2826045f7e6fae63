"""The keys of a batch: an id, an idempotency key or a dedupe key may say that the job is there already."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Final

from jobplane.core.decoding import loads
from jobplane.core.model import OnDuplicate
from jobplane.store.base import Conn
from jobplane.store.sqlite.statements import load_verb
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.lanes import put_off, set_aside
from jobplane.store.sqlite.verbs.rows import Row

_SQL: Final = load_verb("enqueue_many")
_QUOTA: Final = ("quota_exceeded", "Job limit exceeded for tenant")
_OTHER_PAYLOAD: Final = "The idempotency key was used for another payload. Use a new key for a new job."
_DUPLICATE: Final = (
    "Job {} of another definition holds the dedupe key. Use another key, or leave on_duplicate out to get that job."
)
_MET: Final = {OnDuplicate.RETURN: "existing", OnDuplicate.REPLACE: "replaced", OnDuplicate.POSTPONE: "postponed"}


def meet(db: Conn, tenant: int, rows: Sequence[Row], max_pending: int | None, now: int) -> None:
    """Decide for each row whether it is a new job; first all ids, then idempotency keys, then dedupe keys."""
    twins = _ids(db, tenant, [row for row in rows if row.new and row.job.id is not None])
    _receipts(db, tenant, [row for row in rows if row.new and row.job.idempotency_key is not None])
    _dedupe(db, tenant, [row for row in rows if row.new and row.job.dedupe_key is not None], now)
    met = {row.id: row for row in rows if row.found is not None and row not in twins}
    for row in rows:
        if first := met.get(row.found or ""):
            _follow(row, first)
    for row, first in twins.items():
        if first.fault is not None:
            row.refuse(*first.fault, first.found)
    if max_pending is not None:
        _quota(rows, pending_room(db, tenant, max_pending))


def _follow(row: Row, first: Row) -> None:
    """Answer a row like the row of its batch that it repeats, which has met a job or was refused."""
    if first.fault is not None:
        row.refuse(*first.fault, first.found)
    else:
        row.found = first.found


def hold(db: Conn, tenant: int, rows: Sequence[Row]) -> None:
    """Write the keys of those that are new, and the receipts of those that met a job."""
    dedupe = [[row.job.dedupe_key, row.seq] for row in rows if row.new and row.job.dedupe_key is not None]
    if dedupe:
        db.rows(_SQL["hold_dedupe"], (tenant, batch(dedupe)))
    receipts = [
        [definition, key, row.seq if row.holder is None else row.holder, print_]
        for row in rows
        if row.receipt and row.fault is None
        for definition, key, print_ in [row.receipt]
    ]
    if receipts:
        db.rows(_SQL["hold_receipts"], (tenant, batch(receipts)))


def pending_room(db: Conn, tenant: int, max_pending: int) -> int:
    """How many more jobs may wait or run for a tenant."""
    return max_pending - db.rows(_SQL["pending"], (*[tenant] * 4, max_pending))[0][0]


def _ids(db: Conn, tenant: int, rows: Sequence[Row]) -> dict[Row, Row]:
    """Each row that has the id of an earlier one of the batch, with that one."""
    if not rows:
        return {}
    there: set[str] = {row[0] for row in db.rows(_SQL["ids"], (tenant, batch(row.id for row in rows)))}
    firsts: dict[str, Row] = {}
    for row in rows:
        if row.id in there or firsts.setdefault(row.id, row) is not row:
            row.met(row.id, "existing")
    return {row: firsts[row.id] for row in rows if firsts.get(row.id, row) is not row}


def _receipts(db: Conn, tenant: int, rows: Sequence[Row]) -> None:
    """The fingerprint covers definition and payload, not options."""
    if not rows:
        return
    wanted = batch([_definition(row), row.job.idempotency_key] for row in rows)
    known = {(d, key): (print_, job_id) for d, key, print_, job_id, _ in db.rows(_SQL["receipts"], (wanted, tenant))}
    for row in rows:
        key = _definition(row), row.job.idempotency_key or ""
        print_ = _fingerprint(row.payload)
        if key not in known:
            known[key] = print_, row.id
            row.receipt = *key, print_
        elif known[key][0] == print_:
            row.met(known[key][1], "existing")
        else:
            row.refuse("idempotency_mismatch", _OTHER_PAYLOAD, known[key][1])


def _fingerprint(payload: str) -> str:
    canonical = json.dumps(loads(payload), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _definition(row: Row) -> int:
    return row.policy.definition_id


def _dedupe(db: Conn, tenant: int, rows: Sequence[Row], now: int) -> None:
    if not rows:
        return
    found = db.rows(_SQL["holders"], (batch({row.job.dedupe_key for row in rows}), tenant))
    holders = {key: (seq, job_id, definition, runs) for key, seq, job_id, definition, runs in found}
    mine: dict[str, Row] = {}
    for row in rows:
        key = row.job.dedupe_key or ""
        if key in holders:
            row.holder, job_id, definition, runs = holders[key]
            if _is_refused(row, definition, job_id):
                continue
            row.met(job_id, "existing" if runs else _MET[row.on_duplicate])
            if not runs:
                _change(db, holders[key][0], row, now)
        elif key in mine:
            if not _is_refused(row, mine[key].job.definition, mine[key].id):
                _change_mine(mine[key], row)
        else:
            mine[key] = row


def _is_refused(row: Row, definition: str, holder: str) -> bool:
    """A job of another definition may be returned; it is never changed."""
    if row.on_duplicate is OnDuplicate.RETURN or row.job.definition == definition:
        return False
    row.refuse("duplicate_job", _DUPLICATE.format(holder), holder)
    return True


def _change(db: Conn, seq: int, row: Row, now: int) -> None:
    """What an enqueue does to the waiting job that holds its dedupe key."""
    if row.on_duplicate is OnDuplicate.REPLACE:
        db.rows(_SQL["replace"], (row.payload, now, seq))
        set_aside(db, [seq])
    elif row.on_duplicate is OnDuplicate.POSTPONE:
        put_off(db, [seq], row.due, now)


def _change_mine(first: Row, row: Row) -> None:
    """The job that holds the key is of the same batch."""
    row.holder = first.seq
    row.met(first.id, _MET[row.on_duplicate])
    if row.on_duplicate is OnDuplicate.REPLACE:
        first.payload, first.plain = row.payload, False
    elif row.on_duplicate is OnDuplicate.POSTPONE:
        first.due, first.plain = row.due, False


def _quota(rows: Sequence[Row], room: int) -> None:
    """Refuse the rows beyond the pending limit, and the rows of the batch that are duplicates of these."""
    refused: set[str] = set()
    for row in rows:
        if row.new:
            room -= 1
            if room < 0:
                row.refuse(*_QUOTA)
                refused.add(row.id)
        elif row.found in refused:
            row.refuse(*_QUOTA)
