"""renew: prolong leases, with progress where it is given, and learn which jobs are to be canceled."""

from __future__ import annotations

from typing import Final

from jobplane.core import bounds
from jobplane.core.leases import Renewal, Renewed
from jobplane.core.payload import storable
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks, statements
from jobplane.store.sqlite.moment import SECOND, Moment, instant
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.settle import fence
from jobplane.store.verbs.engine import Renew

_SQL: Final = statements.load_verb("renew_all")


def renew(db: Conn, moment: Moment, verb: Renew) -> Renewed:
    until = moment.now + bounds.whole("lease_seconds", verb.lease_seconds, 5, 3600) * SECOND
    rows = db.rows(_SQL["leases"], (moment.now, batch(lease.seq for lease in verb.leases)))
    found = {row[:3]: (row[3], row[4]) for row in rows}
    ours = {lease.seq for lease in verb.leases if fence(lease) in found}
    if ours:
        db.rows(_SQL["renew"], (until, moment.now, batch(ours)))
    if started := ours.intersection(verb.begun):
        db.rows(_SQL["begin"], (batch(started),))
    told = (verb.progress or {}).items()
    if said := [(seq, checks.share(part), storable(text)) for seq, (part, text) in told if seq in ours]:
        db.rows(_SQL["progress"], (batch(said),))
    answers = (_answer(lease.seq, found.get(fence(lease))) for lease in verb.leases)
    return Renewed(instant(until), [answer for answer in answers if answer])


def _answer(seq: int, lease: tuple[int, int | None] | None) -> Renewal | None:
    if lease is None:
        return Renewal(seq, "gone")
    canceled, followed = lease
    if canceled:
        return Renewal(seq, "cancel")
    return Renewal(seq, "followed") if followed else None
