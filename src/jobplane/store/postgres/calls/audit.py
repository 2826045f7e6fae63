"""The audit log, and its chain of digests."""

from __future__ import annotations

from functools import partial
from typing import Final

from jobplane.core.admission import require_instant
from jobplane.core.audit import AuditCheck, AuditEntry
from jobplane.core.decoding import Reader, as_object, as_texts
from jobplane.core.paging import Page
from jobplane.store.postgres.calls.call import Call, Rows, asks, one
from jobplane.store.verbs.engine import ChainAudit
from jobplane.store.verbs.operator import ListAudit, VerifyAudit

_ENTRY: Final = asks(AuditEntry, "cursor")
_CHECK: Final = asks(AuditCheck)
_CURSOR: Final = -1
_read: Final = Reader(AuditEntry, actor=as_object, targets=as_texts, facts=as_object)


def list_audit(verb: ListAudit) -> Call[Page[AuditEntry, int]]:
    where = verb.where
    for name, at in (("since", where.since), ("until", where.until)):
        if at is not None:
            require_instant(name, at)
    parameters = (
        *(verb.tenant, verb.limit, verb.before),
        *(where.action, where.actor, where.target, where.since, where.until),
    )
    return Call(
        "admin",
        _ENTRY + "list_audit(%s::uuid, %s::int, %s::bigint, %s::text, %s::text, %s::text, %s::timestamptz,"
        " %s::timestamptz)",
        parameters,
        partial(_page, verb.limit),
    )


def _page(limit: int, rows: Rows) -> Page[AuditEntry, int]:
    """A row without an id says where the look stopped."""
    entries = [_read(row[:_CURSOR]) for row in rows if row[0] is not None]
    stopped = len(rows) > len(entries)
    more = stopped or len(entries) >= min(max(limit, 1), 1000)
    return Page(entries, rows[-1][_CURSOR] if more else None, scanned_all=not stopped)


def chain_audit(verb: ChainAudit) -> Call[int]:
    return Call("scheduler", "select jobplane.chain_audit(%s::int)", (verb.limit,), one)


def verify_audit(verb: VerifyAudit) -> Call[AuditCheck]:
    parameters = (verb.after, verb.limit)
    return Call("admin", _CHECK + "verify_audit(%s::bigint, %s::int)", parameters, lambda rows: AuditCheck(*rows[0]))
