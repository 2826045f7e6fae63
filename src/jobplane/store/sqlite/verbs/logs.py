"""What handlers wrote: write_logs, read_logs."""

from __future__ import annotations

from operator import itemgetter
from typing import Final

from jobplane.core import bounds
from jobplane.core.logs import LogLine, NewLogLine
from jobplane.core.logtext import clean_fields, clean_level, clean_message
from jobplane.core.paging import MOST_LINES, Page, page_of
from jobplane.store.base import Conn
from jobplane.store.sqlite import statements
from jobplane.store.sqlite.moment import SECOND, Moment, format_uuid, micros
from jobplane.store.sqlite.verbs.arrays import batch
from jobplane.store.sqlite.verbs.read import find_seq
from jobplane.store.sqlite.verbs.words import log_line
from jobplane.store.verbs.engine import WriteLogs
from jobplane.store.verbs.jobs import ReadLogs

Lines = Page[LogLine, tuple[int, int]]
_FOLLOWED: Final = 5 * SECOND
_AWARE: Final = 3 * SECOND  # a mark that lasts as long is not written again


def write_logs(db: Conn, _: Moment, verb: WriteLogs) -> list[int]:
    sql = statements.load_verb("log_lines")
    fences = [(line.lease.seq, line.lease.attempt_no, format_uuid(line.lease.token)) for line in verb.lines]
    held = set(db.rows(sql["leases"], (batch({fence[0] for fence in fences}),)))
    rows = [_row(line) for line, fence in zip(verb.lines, fences, strict=True) if fence in held]
    if rows:
        db.rows(sql["write"], (batch(rows),))
    return sorted({fence[0] for fence in fences if fence not in held})


def _row(line: NewLogLine) -> tuple[object, ...]:
    lease = line.lease
    level, message, fields = clean_level(line.level), clean_message(line.message), clean_fields(line.fields)
    return lease.seq, lease.attempt_no, line.line, micros(line.at), level, message, fields


def read_logs(db: Conn, moment: Moment, verb: ReadLogs) -> Lines:
    return read_page(db, moment, verb)[0]


def read_page(db: Conn, moment: Moment, verb: ReadLogs) -> tuple[Lines, int | None]:
    """The lines; and the seq of the lease that is to hear of its reader, where it has not lately."""
    sql, most = statements.load_verb("read_logs"), bounds.whole("limit", verb.limit, 1, MOST_LINES)
    attempt_no, line = (bounds.whole("after", number) for number in verb.after)
    seq = find_seq(db, verb.tenant, verb.job_id)
    rows = db.rows(sql["page"], (seq, attempt_no, line, most))
    unaware = db.rows(sql["unaware"], (seq, moment.now + _AWARE))
    page = page_of(rows, most, log_line, itemgetter(0, 1), most)
    return page, unaware[0][0] if unaware else None


def follow(db: Conn, moment: Moment, seq: int) -> None:
    """Let the lease know that somebody reads its log just now."""
    db.rows(statements.load_verb("read_logs")["follow"], (moment.now + _FOLLOWED, seq))
