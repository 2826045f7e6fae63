"""The audit log: one row for what a caller did, written in the transaction of the verb that did it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Final, cast
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.audit import AuditCheck, AuditEntry, AuditFilter
from jobplane.core.decoding import Reader, document, texts
from jobplane.core.model import Json
from jobplane.core.paging import MOST, Page
from jobplane.store.base import Conn
from jobplane.store.sqlite import actors, checks, statements
from jobplane.store.sqlite.moment import SECOND, Moment, instant
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.verbs.engine import ChainAudit
from jobplane.store.verbs.operator import ListAudit, VerifyAudit

_TARGETS: Final = 100
_SCAN: Final = 10_000
_entry: Final = Reader(AuditEntry, tenant_id=UUID, at=instant, actor=document, targets=texts, facts=document)


def audit(
    db: Conn,
    moment: Moment,
    action: str,
    tenant_no: int | None,
    targets: Sequence[str],
    before: Json = None,
    after: Json = None,
    facts: Json = None,
) -> None:
    """Write one row. At most 100 targets are kept, with their count. No tenant: the row is the tenant system's.

    Of the values before and after only digests are kept, because they may hold a payload. Facts are kept as they are.
    """
    actor = moment.actor
    who = actors.encoded(actor), actors.login(), actor and actor.address, actor and actor.request_id
    what = action, batch(targets[:_TARGETS]), len(targets), digest(before), digest(after), canonical(facts or {})
    db.rows(statements.load_shared("audit")["insert"], (tenant_no, moment.now, *who, *what))


def digest(value: Json) -> bytes | None:
    """SHA-256 of the canonical text of a value; None of none."""
    return None if value is None else hashlib.sha256(canonical(value).encode()).digest()


def canonical(value: Json) -> str:
    """JSON text that is the same for equal values."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def list_audit(db: Conn, _: Moment, verb: ListAudit) -> Page[AuditEntry, int]:
    most = min(max(bounds.whole("limit", verb.limit), 1), MOST)
    sql, where = statements.load_verb("list_audit"), _where(verb.where)
    ids = [row[0] for row in _ids(db, verb)]
    entries = [_entry(row) for row in db.rows(sql["hits"], (batch(ids), canonical(where), most))]
    stopped = len(entries) < most and len(ids) == _SCAN and _may_go_on(db, ids[-1], where)
    last = ids[-1] if stopped else entries[-1].audit_id if len(entries) == most else None
    return Page(entries, last, scanned_all=not stopped)


def _ids(db: Conn, verb: ListAudit) -> list[tuple[int]]:
    sql = statements.load_verb("list_audit")
    before = bounds.BIGINT if verb.before is None else bounds.whole("before", verb.before, 0, bounds.BIGINT)
    if verb.tenant is None:
        return db.rows(sql["ids"], (before,))
    rows = db.rows(statements.load_shared("describe")["tenant"], (checks.uuid(verb.tenant),))
    return db.rows(sql["ids_of_tenant"], (*rows[0], before)) if rows else []


def _where(asked: AuditFilter) -> dict[str, Json]:
    named = {"action": asked.action, "actor": asked.actor, "target": asked.target}
    texts = {name: checks.text(name, value) for name, value in named.items() if value is not None}
    return {
        **texts,
        "since": checks.instant("since", asked.since),
        "until": checks.instant("until", asked.until),
    }


def _may_go_on(db: Conn, last: int, where: dict[str, Json]) -> bool:
    """Nothing that is an hour older than `since` has a newer row behind it."""
    [(at,)] = db.rows(statements.load_verb("list_audit")["at"], (last,))
    since = where["since"]
    return not isinstance(since, int) or at > since - 3600 * SECOND


def chain_audit(db: Conn, moment: Moment, verb: ChainAudit) -> int:
    sql = statements.load_verb("chain_audit")
    position, last, previous = next(iter(db.rows(sql["head"], ())), (0, 0, b""))
    rows = db.rows(sql["rows"], (last, min(max(bounds.whole("limit", verb.limit), 1), _SCAN)))
    for row in rows:
        position, previous = position + 1, _link(previous, row)
        db.rows(sql["append"], (position, row[0], previous, moment.now))
    return len(rows)


def _link(previous: bytes, row: Sequence[object]) -> bytes:
    """The digest of a row and of the one before."""
    text = canonical([value.hex() if isinstance(value, bytes) else cast("Json", value) for value in row])
    return hashlib.sha256(previous + text.encode()).digest()


def verify_audit(db: Conn, _: Moment, verb: VerifyAudit) -> AuditCheck:
    after = bounds.whole("after", verb.after, 0, bounds.BIGINT)
    sql = statements.load_verb("verify_audit")
    links = db.rows(sql["links"], (after, min(max(bounds.whole("limit", verb.limit), 1), _SCAN)))
    if not links:
        return _tail(db)
    before: tuple[int, bytes] | None = (0, b"") if after == 0 else next(iter(db.rows(sql["before"], (after,))), None)
    check = AuditCheck(links[-1][0], len(links), [], [], [], [])
    for position, audit_id, digest, *row in links:
        if before is None or before[0] != position - 1:
            check.gaps.extend(range((before[0] if before else after) + 1, min(position, after + _SCAN)))
        elif row[0] is not None and _link(before[1], row) != digest:
            check.changed.append(audit_id)
        if row[0] is None:
            check.removed.append(audit_id)
        before = position, digest
    return check.bounded()


def _tail(db: Conn) -> AuditCheck:
    """What is behind the chain, and what is in the log and not in the chain."""
    sql = statements.load_verb("verify_audit")
    [(end,)] = db.rows(sql["end"], ())
    inserted = [row[0] for row in db.rows(sql["inserted"], (end,))]
    removed = [row[0] for row in db.rows(sql["removed"], (end,))]
    [(unchained, oldest)] = db.rows(sql["tail"], (end,))
    return AuditCheck(None, 0, [], removed, [], inserted, unchained, instant(oldest))
