"""renew: prolong leases, with progress where it is given, and learn which jobs are to be canceled."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from jobplane.core import bounds
from jobplane.core.model import Lease, Renewed
from jobplane.core.payload import storable
from jobplane.store.base import Conn
from jobplane.store.sqlite import checks
from jobplane.store.sqlite.moment import SECOND, Moment, instant
from jobplane.store.sqlite.statements import verb
from jobplane.store.sqlite.verbs.batch import batch
from jobplane.store.sqlite.verbs.settle import fence as proof


def renew(
    db: Conn,
    moment: Moment,
    leases: Sequence[Lease],
    lease_seconds: int,
    progress: Sequence[float | None] | None,
    messages: Sequence[str | None] | None,
) -> list[Renewed]:
    until = moment.now + bounds.whole("lease_seconds", lease_seconds, 5, 3600) * SECOND
    sql = verb("renew")
    rows = db.rows(sql["leases"], (batch(lease.seq for lease in leases),))
    canceled = {row[:3]: row[3] for row in rows}
    fences = [proof(lease) for lease in leases]
    ours = [fence for fence in fences if fence in canceled]
    if ours:
        db.rows(sql["renew"], (until, batch(fence[0] for fence in ours)))
    shares = [
        (fence, checks.share(share), storable(text))
        for fence, share, text in zip_longest(fences, progress or (), messages or ())
    ]
    if said := [(fence[0], *what) for fence, *what in shares if what != [None, None] and fence in canceled]:
        db.rows(sql["progress"], (batch(said),))
    return [
        Renewed(fence[0], "cancel" if canceled[fence] else "renewed", instant(until))
        if fence in canceled
        else Renewed(fence[0], "gone", None)
        for fence in fences
    ]
