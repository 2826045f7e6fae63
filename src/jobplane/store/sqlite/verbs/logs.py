"""log_lines, read_logs, prune_logs: what handlers wrote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from jobplane.core import bounds
from jobplane.core.logs import LogLine, NewLogLine
from jobplane.core.logtext import kept_fields, kept_level, kept_message
from jobplane.store.base import Conn
from jobplane.store.sqlite.moment import SECOND, Moment, micros, written
from jobplane.store.sqlite.statements import verb
from jobplane.store.sqlite.verbs.batch import batch
from jobplane.store.sqlite.verbs.read import found_seq
from jobplane.store.sqlite.verbs.words import forget, log_line

_FOLLOWED: Final = 5 * SECOND
_AWARE: Final = 3 * SECOND  # a mark that lasts as long is not written again


def log_lines(db: Conn, lines: Sequence[NewLogLine]) -> list[int]:
    sql = verb("log_lines")
    fences = [(line.lease.seq, line.lease.attempt_no, written(line.lease.token)) for line in lines]
    held = set(db.rows(sql["leases"], (batch({fence[0] for fence in fences}),)))
    rows = [_row(line) for line, fence in zip(lines, fences, strict=True) if fence in held]
    if rows:
        db.rows(sql["write"], (batch(rows),))
    return sorted({fence[0] for fence in fences if fence not in held})


def _row(line: NewLogLine) -> tuple[object, ...]:
    lease = line.lease
    level, message, fields = kept_level(line.level), kept_message(line.message), kept_fields(line.fields)
    return lease.seq, lease.attempt_no, line.line, micros(line.at), level, message, fields


def read_logs(
    db: Conn, moment: Moment, tenant: UUID, job_id: UUID, after: tuple[int, int], limit: int
) -> tuple[list[LogLine], int | None]:
    """The lines; and the seq of the lease that is to hear of its reader, where it has not lately."""
    sql, most = verb("read_logs"), bounds.whole("limit", limit, 1, 10_000)
    attempt_no, line = (bounds.whole("after", number) for number in after)
    seq = found_seq(db, tenant, job_id)
    rows = db.rows(sql["page"], (seq, attempt_no, line, most))
    unaware = db.rows(sql["unaware"], (seq, moment.now + _AWARE))
    return [log_line(row) for row in rows], unaware[0][0] if unaware else None


def follow(db: Conn, moment: Moment, seq: int) -> None:
    """Let the lease know that somebody reads its log just now."""
    db.rows(verb("read_logs")["follow"], (moment.now + _FOLLOWED, seq))


def prune_logs(db: Conn, moment: Moment, retention_days: int) -> int:
    sql = verb("prune_logs")
    days = bounds.whole("retention_days", retention_days, 0, 36_500)
    ids = batch(row[0] for row in db.rows(sql["past"], (moment.now, days)))
    forget(db, ids)
    return len(db.rows(sql["remove"], (ids,)))
